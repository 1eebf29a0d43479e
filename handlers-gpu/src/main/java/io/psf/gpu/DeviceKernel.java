package io.psf.gpu;

/**
 * A kernel of a handler, in a resource of the handler's jar: PTX, or CUDA C in a file that ends with {@code .cu}. PTX
 * needs nothing but the driver. CUDA C is compiled when the kernel is first launched, by the {@code nvcc} of the
 * server's machine. The driver compiles the PTX once for each device.
 *
 * @param beside the class whose package and class loader have the resource, usually the handler
 * @param resource the resource's name, relative to the class
 * @param name the name of an {@code extern "C" __global__} function
 */
public record DeviceKernel(Class<?> beside, String resource, String name) {
    /** Returns resource and name, for messages. */
    @Override
    public String toString() {
        return name + " of " + resource;
    }
}

package io.psf.gpu.driver;

import jcuda.driver.CUdeviceptr;

/** A block of a device's memory. Freed explicitly, by {@link Device#free}. */
public final class Block {
    private final Address pointer;
    private final long bytes;

    /** A pointer whose value is accessible. */
    private static final class Address extends CUdeviceptr {
        long value() {
            return getNativePointer();
        }
    }

    private Block(Address pointer, long bytes) {
        this.pointer = pointer;
        this.bytes = bytes;
    }

    /** Allocates a block, or returns the result of the driver in {@code result[0]} and null-sized memory. */
    static Block allocate(long bytes, int[] result) {
        Address pointer = new Address();
        result[0] = jcuda.driver.JCudaDriver.cuMemAlloc(pointer, bytes);
        return new Block(pointer, bytes);
    }

    /** Returns the address of the first byte. */
    public long address() {
        return pointer.value();
    }

    /** Returns the length in bytes. */
    public long bytes() {
        return bytes;
    }

    CUdeviceptr pointer() {
        return pointer;
    }

    static CUdeviceptr pointer(long address) {
        return new CUdeviceptr().withByteOffset(address);
    }
}

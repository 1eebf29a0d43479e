package io.psf.gpu;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;

/**
 * A shard whose values and slots are in the memory of a device. A handler for such shards is a class with {@link
 * io.psf.api.PsHandler} whose method {@code handle} takes a {@code DeviceShard}. It asks for the addresses of the data
 * and launches kernels of its own.
 *
 * <pre>{@code
 * @PsHandler(function = Axpy.class, preference = 1)
 * public final class AxpyOnDevice {
 *     private static final DeviceKernel AXPY = new DeviceKernel(AxpyOnDevice.class, "axpy.ptx", "axpy");
 *
 *     public Axpy.Response handle(Axpy.Request slice, DeviceShard shard) {
 *         DeviceArray y = shard.deviceValues();
 *         DeviceArray x = shard.upload(slice.x());
 *         shard.launch(AXPY, y.length(), y, slice.alpha(), x, (int) y.length());
 *         ..
 *     }
 * }
 * }</pre>
 *
 * <p>Of the methods of {@link Shard}, {@link #values}, {@link #values(long)} and {@link #slot} throw a {@link
 * io.psf.api.PsException} with {@code BAD_REQUEST}: the host has no view of the device's memory. The others work as on
 * any shard: {@link #gather} and {@link #valuesForAnswer} return a copy in the host's memory, and {@link #optimizer}
 * steps on the device. So a function that needs no more than these has one handler for both kinds of shards.
 *
 * <p>Each lane has a stream of the device, in which all work of its shards runs in order.
 */
public interface DeviceShard extends Shard {
    /** Returns the device's number on the server's machine, from 0. */
    int device();

    /**
     * Returns the shard's values, [rows, width] float32. For a growing table, the array has the rows that exist at the
     * time of the call. The address is valid until rows are created or removed.
     */
    DeviceArray deviceValues();

    /**
     * Returns a slot, [rows, width] float32, zeros on the first request, as {@link #slot} on the host. The address is
     * valid until rows are created or removed.
     *
     * @throws IllegalArgumentException if the slot exists with another width
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if the device has too little memory
     */
    DeviceArray deviceSlot(String name, int width);

    /**
     * Returns the local rows of keys, [n] int32, each at least 0. A growing table creates missing rows, as {@link
     * #rows(LongArray)} does. Valid until the handler returns.
     *
     * @param keys [n] int64 global keys
     * @throws io.psf.api.PsException with {@code OUT_OF_RANGE} naming the first key that this shard does not own
     */
    DeviceArray deviceRows(LongArray keys);

    /**
     * Copies an array to the device. Returns when the copy has ended: the array may then be released or changed. The
     * copy is valid until the handler returns.
     *
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if the device has too little memory
     */
    DeviceArray upload(FloatArray array);

    /**
     * Allocates memory of the device, [n] float32, its content undefined, valid until the handler returns.
     *
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if the device has too little memory
     */
    DeviceArray scratch(long n);

    /**
     * Copies an array of the device to {@link #allocate scratch memory} of the host for the answer. Blocks until the
     * earlier work and the copy have ended.
     *
     * @param array [n] float32
     */
    FloatArray download(DeviceArray array);

    /**
     * Launches a kernel with a thread for each item, in blocks of 256 threads, and blocks until it has ended. The
     * number of threads is bounded by what the device runs well: the kernel is a grid-stride loop.
     *
     * @param items the number of items
     * @param arguments the kernel's arguments, in order: {@link DeviceArray} for a pointer, {@code Integer}, {@code
     *     Long}, {@code Float} or {@code Double}. Their types must be the types that the kernel declares, which is not
     *     checked
     * @throws io.psf.api.PsException with {@code CONFIGURATION} if the resource is missing or cannot be compiled, with
     *     {@code BAD_REQUEST} if it has no such kernel, with {@code HANDLER_FAILED} naming kernel, grid and CUDA's
     *     error if the launch or the kernel fails. After an invalid access to memory, CUDA fails all later calls of the
     *     process: restart the server
     */
    void launch(DeviceKernel kernel, long items, Object... arguments);

    /** Launches a kernel on a grid of the given shape. As {@link #launch(DeviceKernel, long, Object...)} otherwise. */
    void launch(DeviceKernel kernel, Grid grid, Object... arguments);
}

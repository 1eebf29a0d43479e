package io.psf.gpu.driver;

import static jcuda.driver.CUstream_flags.CU_STREAM_NON_BLOCKING;

import io.psf.api.PsException;
import io.psf.api.array.ArrayMemory;
import io.psf.gpu.Grid;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jcuda.Pointer;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * A queue of work on a device: copies and kernels, which run in order. Used by one thread, whose current device is the
 * stream's.
 */
public final class Stream implements AutoCloseable {
    private static final int MOST_ARGUMENTS = 32;

    /** The driver itself spins without a limit where there are more processors than devices. */
    private static final long SPIN_NANOS = 200_000;

    private final CUstream stream = new CUstream();
    /** The end of all work, for waits that are long. */
    private final Event ended = Event.blocking();
    /** The arguments of the kernel that is launched, 8 bytes each: the driver copies them. */
    private final ByteBuffer arguments =
            ByteBuffer.allocateDirect(MOST_ARGUMENTS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    /** Their addresses: the driver reads as many as the kernel has parameters. */
    private final Pointer pointers;
    /** The memory of the addresses. */
    private final ByteBuffer table =
            ByteBuffer.allocateDirect(MOST_ARGUMENTS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    /**
     * The last kernel that was launched, for the message of an error that is found later, by any stream of the device.
     */
    private volatile String last = "";

    /** Creates a stream of the current device. */
    public Stream() {
        this.pointers = pointers();
        Cuda.check(JCudaDriver.cuStreamCreate(stream, CU_STREAM_NON_BLOCKING), "stream");
        Device.opened(this);
    }

    /** Returns the last kernel that was launched, with its grid; empty for none. */
    String last() {
        return last;
    }

    /**
     * Returns the table of addresses. JCuda takes 7 to 11 us for each launch with pointers to pointers, and none for
     * this.
     */
    private Pointer pointers() {
        long address = ArrayMemory.address(arguments);
        if (address == 0) {
            Pointer[] each = new Pointer[MOST_ARGUMENTS];
            for (int i = 0; i < each.length; i++) {
                each[i] = Pointer.to(arguments).withByteOffset((long) i * Long.BYTES);
            }
            return Pointer.to(each);
        }
        for (int i = 0; i < MOST_ARGUMENTS; i++) {
            table.putLong(i * Long.BYTES, address + (long) i * Long.BYTES);
        }
        return Pointer.to(table);
    }

    /**
     * Launches a kernel.
     *
     * @param values the arguments, in order: each the bits of an integer, float or double in the low bytes
     * @throws PsException with {@code HANDLER_FAILED} naming kernel, grid and the driver's error
     */
    public void launch(Module module, String kernel, Grid grid, long... values) {
        if (values.length > MOST_ARGUMENTS) {
            throw new PsException(
                    PsException.Code.HANDLER_FAILED,
                    "arguments of kernel " + kernel + ": " + values.length + " (expected: at most " + MOST_ARGUMENTS
                            + ")");
        }
        last = kernel + grid;
        for (int i = 0; i < values.length; i++) {
            arguments.putLong(i * Long.BYTES, values[i]);
        }
        int result = JCudaDriver.cuLaunchKernel(
                module.function(kernel),
                grid.blocks(),
                1,
                1,
                grid.threads(),
                1,
                1,
                grid.sharedBytes(),
                stream,
                pointers,
                null);
        if (result != 0) {
            throw failed(result);
        }
    }

    private PsException failed(int result) {
        PsException cause = Cuda.failure(result, last.isEmpty() ? "stream without a kernel" : "kernel " + last);
        return cause.code() == PsException.Code.INTERNAL
                ? new PsException(PsException.Code.HANDLER_FAILED, cause.detail())
                : cause;
    }

    /** Checks the result of a call, which may be the failure of a kernel that was queued before: that is named then. */
    private void check(int result, String what) {
        if (result != 0) {
            throw Loader.isFinal(result) ? failed(result) : Cuda.failure(result, what);
        }
    }

    /** Copies from direct memory of the host, which stays unchanged until the copy has ended. */
    public void copyIn(ByteBuffer from, long to) {
        copyIn(from.slice(), from.remaining(), to);
    }

    /**
     * Copies from direct memory of the host, which stays unchanged until the copy has ended.
     *
     * @param from the memory, from its first element on, regardless of its position
     * @param to the address
     */
    public void copyIn(Buffer from, long bytes, long to) {
        check(
                JCudaDriver.cuMemcpyHtoDAsync(Block.pointer(to), Pointer.to(from), bytes, stream),
                "copy of " + bytes + " bytes to the device");
    }

    /** Copies from an address of the device to direct memory of the host. */
    public void copyOut(long from, ByteBuffer to) {
        copyOut(from, to.slice(), to.remaining());
    }

    /**
     * Copies from an address of the device to direct memory of the host.
     *
     * @param to the memory, from its first element on, regardless of its position
     */
    public void copyOut(long from, Buffer to, long bytes) {
        check(
                JCudaDriver.cuMemcpyDtoHAsync(Pointer.to(to), Block.pointer(from), bytes, stream),
                "copy of " + bytes + " bytes from the device");
    }

    /** Copies within the device. */
    public void copy(long from, long to, long bytes) {
        if (bytes > 0) {
            check(
                    JCudaDriver.cuMemcpyDtoDAsync(Block.pointer(to), Block.pointer(from), bytes, stream),
                    "copy of " + bytes + " bytes on the device");
        }
    }

    /** Sets bytes from an address on, a multiple of 4, to the same 32 bits. */
    public void fill(long address, long bytes, int bits) {
        if (bytes > 0) {
            check(
                    JCudaDriver.cuMemsetD32Async(Block.pointer(address), bits, bytes / Integer.BYTES, stream),
                    "fill of " + bytes + " bytes on the device");
        }
    }

    /** Sets bytes from an address on to zero. */
    public void zero(long address, long bytes) {
        if (address % Integer.BYTES == 0 && bytes % Integer.BYTES == 0) {
            fill(address, bytes, 0);
        } else if (bytes > 0) {
            check(
                    JCudaDriver.cuMemsetD8Async(Block.pointer(address), (byte) 0, bytes, stream),
                    "fill of " + bytes + " bytes on the device");
        }
    }

    /** Marks the work so far. */
    public void record(Event event) {
        check(JCudaDriver.cuEventRecord(event.event(), stream), "event");
    }

    /** Makes the later work of this stream wait for an event. */
    public void await(Event event) {
        check(JCudaDriver.cuStreamWaitEvent(stream, event.event(), 0), "event");
    }

    /**
     * Blocks until all work of this stream has ended.
     *
     * @throws PsException with {@code HANDLER_FAILED} naming the last kernel and the driver's error if work has failed:
     *     then the device is of no use to this process any more
     */
    public void synchronize() {
        int result = waited();
        if (result != 0) {
            throw failed(result);
        }
    }

    /**
     * Waits for all work: it spins for as long as short calls take, then the thread sleeps. Returns the driver's
     * result.
     */
    private int waited() {
        long begin = System.nanoTime();
        int result = JCudaDriver.cuStreamQuery(stream);
        while (result == CUresult.CUDA_ERROR_NOT_READY && System.nanoTime() - begin < SPIN_NANOS) {
            Thread.onSpinWait();
            result = JCudaDriver.cuStreamQuery(stream);
        }
        if (result != CUresult.CUDA_ERROR_NOT_READY) {
            return result;
        }
        return JCudaDriver.cuEventRecord(ended.event(), stream) == 0
                ? JCudaDriver.cuEventSynchronize(ended.event())
                : JCudaDriver.cuStreamSynchronize(stream);
    }

    /** Blocks until all work has ended, also if it has failed: no copy uses the host's memory afterwards. */
    public void settle() {
        JCudaDriver.cuStreamSynchronize(stream);
    }

    @Override
    public void close() {
        settle();
        Device.closed(this);
        ended.close();
        JCudaDriver.cuStreamDestroy(stream);
    }
}

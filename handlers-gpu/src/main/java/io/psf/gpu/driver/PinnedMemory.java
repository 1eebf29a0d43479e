package io.psf.gpu.driver;

import static jcuda.driver.JCudaDriver.CU_MEMHOSTALLOC_PORTABLE;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import jcuda.Pointer;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the host that devices copy from and to directly, page-locked. It is freed when the buffer and its views are
 * unreachable. Thread-safe.
 */
public final class PinnedMemory {
    private static final Cleaner CLEANER = Cleaner.create();

    /** The most bytes in use: what the JVM's own direct memory has by default. */
    private static final long MOST = Runtime.getRuntime().maxMemory();

    /** The bytes that are not freed yet. */
    private static final AtomicLong USED = new AtomicLong();

    private PinnedMemory() {}

    /**
     * Allocates memory, little-endian, its content undefined. Any device may use it.
     *
     * @return null if the host has too little memory that can be locked, or as many bytes as the heap may have are in use
     */
    public static @Nullable ByteBuffer allocate(Device device, int bytes) {
        if (USED.addAndGet(bytes) > MOST) {
            USED.addAndGet(-bytes);
            return null;
        }
        device.use();
        Pointer pointer = new Pointer();
        if (JCudaDriver.cuMemHostAlloc(pointer, bytes, CU_MEMHOSTALLOC_PORTABLE) != 0) {
            USED.addAndGet(-bytes);
            return null;
        }
        ByteBuffer buffer = pointer.getByteBuffer(0, bytes);
        CLEANER.register(buffer, () -> {
            device.use();
            JCudaDriver.cuMemFreeHost(pointer);
            USED.addAndGet(-bytes);
        });
        return buffer.order(ByteOrder.LITTLE_ENDIAN);
    }
}

package io.psf.gpu.driver;

import static jcuda.driver.JCudaDriver.CU_MEMHOSTALLOC_PORTABLE;

import io.psf.api.PsException;
import io.psf.api.array.ArrayMemory;
import java.lang.ref.Cleaner;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
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

    /** The most bytes in use: the limit of the heap, which is the default limit of the JVM's direct memory, too. */
    private static final long MOST = Runtime.getRuntime().maxMemory();

    /** The lengths in bytes of the blocks that are not freed yet, by address. */
    private static final ConcurrentSkipListMap<Long, Integer> BLOCKS = new ConcurrentSkipListMap<>();

    /** The bytes that are not freed yet. */
    private static final AtomicLong USED = new AtomicLong();

    private PinnedMemory() {}

    /** A pointer whose value is accessible. */
    private static final class Address extends Pointer {
        long value() {
            return getNativePointer();
        }
    }

    /**
     * Allocates memory, little-endian, its content undefined. Any device may use it.
     *
     * @return null if the host has too little memory that can be locked, or as many bytes as the heap may have are in
     *     use
     */
    public static @Nullable ByteBuffer allocate(Device device, int bytes) {
        if (USED.addAndGet(bytes) > MOST) {
            USED.addAndGet(-bytes);
            return null;
        }
        ByteBuffer buffer = locked(device, bytes);
        if (buffer == null) {
            USED.addAndGet(-bytes);
        }
        return buffer;
    }

    private static @Nullable ByteBuffer locked(Device device, int bytes) {
        Address pointer = new Address();
        try {
            device.use();
            if (JCudaDriver.cuMemHostAlloc(pointer, bytes, CU_MEMHOSTALLOC_PORTABLE) != 0) {
                return null;
            }
        } catch (PsException e) { // the device has failed
            return null;
        }
        long address = pointer.value();
        ByteBuffer root = root(pointer);
        if (root == null || root.capacity() != bytes || address == 0) {
            JCudaDriver.cuMemFreeHost(pointer);
            return null;
        }
        // Not the pointer, which refers to the root: else the root would never be unreachable.
        BLOCKS.put(address, bytes);
        CLEANER.register(root, () -> {
            BLOCKS.remove(address);
            free(device, address);
            USED.addAndGet(-bytes);
        });
        return root.order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Returns the address by which kernels read and write page-locked memory, over the link between host and device.
     *
     * @param buffer a view of memory of this class; regardless of its position
     * @return the address of its first element; 0 if it is other memory
     */
    public static long address(Buffer buffer) {
        long address = ArrayMemory.address(buffer);
        Map.Entry<Long, Integer> block = address == 0 ? null : BLOCKS.floorEntry(address);
        return block != null && address < block.getKey() + block.getValue() ? address : 0;
    }

    /**
     * Returns the buffer that JCuda has made of the memory. Views of a buffer refer to that buffer alone, not to the
     * views that they were made of: what {@link Pointer#getByteBuffer()} returns is such a view, which may be collected
     * while views of it are in use.
     */
    private static @Nullable ByteBuffer root(Pointer pointer) {
        try {
            Field buffer = Pointer.class.getDeclaredField("buffer");
            buffer.setAccessible(true);
            return buffer.get(pointer) instanceof ByteBuffer root && root.isDirect() ? root : null;
        } catch (ReflectiveOperationException | RuntimeException e) { // another version of JCuda, or it is a module
            return null;
        }
    }

    private static void free(Device device, long address) {
        device.use();
        JCudaDriver.cuMemFreeHost(new Pointer().withByteOffset(address));
    }
}

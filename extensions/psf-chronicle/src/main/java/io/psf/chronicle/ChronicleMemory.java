package io.psf.chronicle;

import io.psf.runtime.spi.store.NativeStore;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.core.Memory;
import net.openhft.chronicle.core.OS;

/**
 * Native memory of Chronicle: a {@link BytesStore} for each allocation, of which Chronicle keeps count. Its own
 * accesses are not bounds-checked, so the memory is used through a direct buffer.
 */
final class ChronicleMemory {
    private static final Memory MEMORY = OS.memory();
    private static final long ADDRESS = offset("address");
    private static final long CAPACITY = offset("capacity");

    private ChronicleMemory() {}

    private static long offset(String field) {
        try {
            return MEMORY.getFieldOffset(Buffer.class.getDeclaredField(field));
        } catch (NoSuchFieldException e) {
            throw new LinkageError("java.nio.Buffer." + field, e);
        }
    }

    /** Allocates memory, as a {@link NativeStore.Allocator} does. Chronicle's thread frees it. */
    static NativeStore.Memory allocate(int bytes, boolean zeroed) {
        long size = (long) bytes + NativeStore.ALIGNMENT - 1;
        BytesStore<?, Void> store = zeroed
                ? BytesStore.nativeStoreWithFixedCapacity(size)
                : BytesStore.lazyNativeBytesStoreWithFixedCapacity(size);
        long address = store.addressForWrite(0) + NativeStore.ALIGNMENT - 1 & -NativeStore.ALIGNMENT;
        return new NativeStore.Memory(view(address, bytes), store::releaseLast);
    }

    /** Returns the address of a direct buffer's memory. */
    static long address(ByteBuffer buffer) {
        return MEMORY.readLong(buffer, ADDRESS);
    }

    /** Returns a direct buffer over memory of another owner. Its duplicates and slices keep it reachable. */
    private static ByteBuffer view(long address, int bytes) {
        ByteBuffer view = ByteBuffer.allocateDirect(0);
        MEMORY.writeLong(view, ADDRESS, address);
        MEMORY.writeInt(view, CAPACITY, bytes);
        return view.clear();
    }
}

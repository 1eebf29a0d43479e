package io.psf.runtime.store.chronicle;

import io.psf.api.PsException;
import io.psf.runtime.store.Store;
import java.lang.ref.Cleaner;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.core.Memory;
import net.openhft.chronicle.core.OS;

/**
 * Native memory from Chronicle, which no limit of the JVM's own direct buffers holds. Seen through a byte buffer, so
 * that every access is bounds-checked; freed once nobody can reach the buffer or a view of it.
 */
public final class NativeStore implements Store {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final long ADDRESS = offset("address");
    private static final long CAPACITY = offset("capacity");

    /** A cache line: memory begins at one, so that a row of 64 bytes is fetched as one and not as two. */
    private static final int LINE = 64;

    /** Bytes that are not freed yet; of the whole JVM, as a collection is. */
    private static final AtomicLong LIVE = new AtomicLong();

    /** A system that has less room than this has none. */
    private static final int LEAST_ROOM = 1 << 20;

    /** Bytes that may be taken before a collection looks for those that can be freed. */
    private static final long SLACK = 512L << 20;

    private final AtomicLong collectAt = new AtomicLong(SLACK);

    private static long offset(String field) {
        try {
            return OS.memory().getFieldOffset(Buffer.class.getDeclaredField(field));
        } catch (NoSuchFieldException e) {
            throw new LinkageError("java.nio.Buffer." + field, e);
        }
    }

    @Override
    public ByteBuffer allocate(String name, int bytes) {
        return take(name, bytes, BytesStore::nativeStoreWithFixedCapacity); // zeros
    }

    /** Pages that have not been written to are none of the machine's memory. */
    @Override
    public ByteBuffer reserve(String name, int bytes) {
        for (int most = bytes; ; most = Math.max(LEAST_ROOM, most / 2)) {
            try {
                return take(name, most, BytesStore::lazyNativeBytesStoreWithFixedCapacity);
            } catch (PsException e) {
                if (most <= LEAST_ROOM) {
                    throw e;
                }
            }
        }
    }

    private ByteBuffer take(String name, int bytes, LongFunction<BytesStore<?, ?>> source) {
        long now = LIVE.addAndGet(bytes);
        if (now > collectAt.get()) {
            System.gc(); // dropped shards are freed when they are collected, and a server's heap gives little reason to
            collectAt.set(LIVE.get() + Math.max(SLACK, LIVE.get()));
        }
        BytesStore<?, ?> memory;
        try {
            memory = source.apply((long) bytes + LINE - 1);
        } catch (OutOfMemoryError | IllegalStateException e) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED, bytes + " bytes of native memory for " + name + ": " + e, e);
        }
        ByteBuffer view = view((memory.addressForRead(0) + LINE - 1) & -LINE, bytes);
        CLEANER.register(view, () -> {
            memory.releaseLast();
            LIVE.addAndGet(-bytes);
        });
        return view.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** A direct buffer over memory that is not its own; duplicates and slices of it keep it reachable. */
    private static ByteBuffer view(long address, int bytes) {
        Memory memory = OS.memory();
        ByteBuffer view = ByteBuffer.allocateDirect(0);
        memory.writeLong(view, ADDRESS, address);
        memory.writeInt(view, CAPACITY, bytes);
        view.clear();
        return view;
    }

    @Override
    public void close() {}
}

package io.psf.acceptance;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.transport.HostMemory;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes shards that count, on device 0, whose memory suffices for slice 0 of a tensor, for slice 1 without values, and
 * for no other slice.
 */
public final class ScarceFactory implements ShardFactory {
    /** The number of shards that were given up since memory did not suffice for their values. */
    static final AtomicInteger GIVEN_UP = new AtomicInteger();

    /** The bytes of host memory that were allocated for requests and answers. */
    static final AtomicLong HOST_MEMORY = new AtomicLong();

    private List<Integer> absent = List.of();
    private boolean isThere;

    @Override
    public Collection<String> placements(List<Integer> devices) {
        absent = devices.stream().filter(device -> device > 0).toList();
        isThere = devices.contains(0);
        return isThere ? List.of("device", "device:0") : List.of();
    }

    @Override
    public List<String> unavailable() {
        return absent.stream()
                .map(device -> "device " + device + ": not used, since this machine has one")
                .toList();
    }

    @Override
    public @Nullable HostMemory hostMemory() {
        return isThere ? ScarceFactory::allocate : null;
    }

    private static ByteBuffer allocate(int bytes) {
        HOST_MEMORY.addAndGet(bytes);
        return ByteBuffer.allocateDirect(bytes);
    }

    @Override
    public boolean pinsLane() {
        return true;
    }

    @Override
    public MadeShard make(Slice slice, Store store, ShardLane lane) {
        if (slice.slice() > 1) {
            throw full(slice);
        }
        MadeShard made = new CountingFactory().make(slice, store, lane);
        return slice.slice() == 0 ? made : new WithoutValues(made, full(slice));
    }

    private static PsException full(Slice slice) {
        return new PsException(
                PsException.Code.RESOURCE_EXHAUSTED,
                "memory of " + slice.placement() + " for slice " + slice.slice() + ": none (expected: some)");
    }

    private record WithoutValues(MadeShard made, PsException full) implements MadeShard {
        @Override
        public Shard shard() {
            return (Shard) java.lang.reflect.Proxy.newProxyInstance(
                    Shard.class.getClassLoader(), new Class<?>[] {Shard.class}, (self, method, arguments) -> {
                        throw full;
                    });
        }

        @Override
        public void moveToLane() {
            throw new IllegalStateException("a shard without values: moved (expected: given up)");
        }

        @Override
        public void membersChanged(List<Member> now) {}

        @Override
        public void giveUp() {
            GIVEN_UP.incrementAndGet();
            made.giveUp();
        }
    }
}

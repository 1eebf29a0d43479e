package io.psf.acceptance;

import io.psf.api.array.FloatArray;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.shard.WrappingShard;
import io.psf.runtime.spi.store.Store;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Makes shards in the server's memory that count their pulls. */
public final class CountingFactory implements ShardFactory {
    static final String COUNTING = "counting";

    @Override
    public Collection<String> placements(List<Integer> devices) {
        return List.of(COUNTING);
    }

    @Override
    public MadeShard make(Slice slice, Store store, ShardLane lane) {
        return new Counting(lane.inHostMemory(slice, store));
    }

    private static final class Counting extends WrappingShard implements CountingShard {
        private final Set<Thread> threads = new HashSet<>(Set.of(Thread.currentThread()));
        private long reads;

        Counting(MadeShard host) {
            super(host);
        }

        @Override
        public FloatArray values() {
            threads.add(Thread.currentThread());
            return super.values();
        }

        @Override
        public FloatArray valuesForAnswer() {
            threads.add(Thread.currentThread());
            reads++;
            return super.valuesForAnswer();
        }

        @Override
        public <T> T attachment(Class<T> type, Supplier<? extends T> factory) {
            threads.add(Thread.currentThread());
            return super.attachment(type, factory);
        }

        @Override
        public long reads() {
            return reads;
        }

        @Override
        public int threads() {
            return threads.size();
        }
    }
}

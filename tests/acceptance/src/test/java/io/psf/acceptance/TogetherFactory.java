package io.psf.acceptance;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.shard.WrappingShard;
import io.psf.runtime.spi.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** Makes shards in the server's memory that read the values of pulls by key when the answer is written, if they may. */
public final class TogetherFactory implements ShardFactory {
    static final String TOGETHER = "together";

    /** A pull of this key is not read. */
    static final long FAULTY = 13;

    /** The events of all shards in order, with the first key of the pull: {@code handled 7} or {@code read 7}. */
    static final List<String> EVENTS = Collections.synchronizedList(new ArrayList<>());

    @Override
    public Collection<String> placements(List<Integer> devices) {
        return List.of(TOGETHER);
    }

    @Override
    public MadeShard make(Slice slice, Store store, ShardLane lane) {
        return new Together(lane.inHostMemory(slice, store), lane);
    }

    private static final class Together extends WrappingShard {
        private final ShardLane lane;

        Together(MadeShard host, ShardLane lane) {
            super(host);
            this.lane = lane;
        }

        @Override
        public FloatArray gatherForAnswer(LongArray keys) {
            FloatArray values = allocate(keys.length() * width());
            values.fill(Float.NaN);
            if (lane.beforeAnswer(() -> read(keys, values))) {
                EVENTS.add("handled " + keys.get(0));
            } else {
                read(keys, values);
            }
            return values;
        }

        private void read(LongArray keys, FloatArray into) {
            EVENTS.add("read " + keys.get(0));
            if (keys.get(0) == FAULTY) {
                throw new IllegalStateException("a defect of the shard");
            }
            into.copyFrom(gather(keys));
        }
    }
}

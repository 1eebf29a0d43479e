package io.psf.acceptance;

import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import java.util.Collection;
import java.util.List;

/** Makes shards that count, and that belong to one thread. */
public final class PinnedFactory implements ShardFactory {
    static final String PINNED = "pinned";

    @Override
    public Collection<String> placements(List<Integer> devices) {
        return List.of(PINNED);
    }

    @Override
    public boolean pinsLane() {
        return true;
    }

    @Override
    public MadeShard make(Slice slice, Store store, ShardLane lane) {
        return new CountingFactory().make(slice, store, lane);
    }
}

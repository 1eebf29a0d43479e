package io.psf.runtime.internal.server.shard;

import io.psf.api.Node;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import java.util.Collection;
import java.util.List;

/** Makes shards in the server's own memory, off the heap. */
public final class HostFactory implements ShardFactory {
    @Override
    public Collection<String> placements(List<Integer> devices) {
        return List.of(Node.HOST);
    }

    @Override
    public HostShard make(Slice slice, Store store, ShardLane lane) {
        return new HostShard(slice, store, lane);
    }
}

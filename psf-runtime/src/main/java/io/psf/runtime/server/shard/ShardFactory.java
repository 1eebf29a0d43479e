package io.psf.runtime.server.shard;

import io.psf.runtime.store.Store;
import java.util.Collection;

/**
 * Makes the shards of a kind: where they store their rows, and what handlers see of them. A server finds the factories
 * on its class path, as services, and has that of {@link io.psf.api.Node#HOST} in any case. A tensor names the placement
 * of its shards. Thread-safe.
 */
public interface ShardFactory {
    /**
     * Returns the placements that this factory makes shards of, such as {@code device:0}; empty if this machine has none
     * of them.
     */
    Collection<String> placements();

    /**
     * True if the shards are used by one thread alone, as a context of a device requires. Then they are made, filled,
     * used and given up on their lane's own thread. Otherwise a thread that reads requests may run a quick call, and the
     * node's thread makes the shards.
     */
    default boolean pinsLane() {
        return false;
    }

    /**
     * Makes a shard. Its values are set next, and then it is used on its lane.
     *
     * @param slice the slice
     * @param store the server's memory
     * @param lane the lane of the shard, and the call that runs there
     */
    MadeShard make(Slice slice, Store store, ShardLane lane);
}

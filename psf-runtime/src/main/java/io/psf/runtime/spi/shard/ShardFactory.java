package io.psf.runtime.spi.shard;

import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.transport.HostMemory;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes the shards of a kind: where they store their rows, and what handlers see of them. A server finds the factories
 * on its class path, as services, and has the factory of {@link io.psf.api.Node#HOST} in any case. A tensor names the
 * placement of its shards. Thread-safe. A factory that cannot be created ends the start of the server with
 * {@code CONFIGURATION}.
 *
 * <p>An operation that the kind does not have throws a {@link io.psf.api.PsException} with {@code BAD_REQUEST}. A shard
 * that is saved and loaded is a {@link io.psf.api.spi.StoredShard}.
 */
public interface ShardFactory {
    /**
     * Returns the placements that this factory makes shards of, such as {@code device:0}; empty if this machine has
     * none of them. Called once, before the other methods. Two factories of a server with the same placement end its
     * start with {@code CONFIGURATION}.
     *
     * @param devices the numbers of the accelerators that the server may use, such as 0; empty for none
     */
    Collection<String> placements(List<Integer> devices);

    /**
     * Returns one sentence for each device that was asked for and cannot be used, for the log. Called after {@link
     * #placements}. The server starts without the placements of these devices.
     */
    default List<String> unavailable() {
        return List.of();
    }

    /**
     * Returns the memory for the large requests and answers of the server, so that a device copies from and to them
     * directly; null if the server's ordinary direct memory serves as well. Called after {@link #placements}.
     */
    default @Nullable HostMemory hostMemory() {
        return null;
    }

    /**
     * True if the shards are used by one thread alone, as a context of a device requires. Then they are made, filled,
     * used and given up on their lane's own thread. Otherwise a thread that reads requests may run a quick call, and
     * the node's thread makes the shards. A pinned lane runs the calls of all its tensors on its own thread, also calls
     * on other kinds of shards: a quick call there costs one dispatch more.
     */
    default boolean pinsLane() {
        return false;
    }

    /**
     * Returns the reason, as a clause, why shards of this factory have lost their memory, as when a device fails; empty
     * as long as they have it. The server ends then: its slices return with the server that takes its place. Called a
     * few times a second, from any thread.
     */
    default Optional<String> lost() {
        return Optional.empty();
    }

    /**
     * Makes a shard. Next, {@code slice.fill().fill(made.shard())} writes the first values into {@code values()}, and
     * may create attachments. Then {@link MadeShard#moveToLane} is called; if the fill throws, {@link MadeShard#giveUp}
     * instead. If this method throws, the server calls no method of the shard: the factory
     * releases what it has allocated outside {@code store}, whose memory is freed once it is unreachable.
     *
     * <p>If this method or the fill throws a {@link io.psf.api.PsException} with {@code RESOURCE_EXHAUSTED}, and the
     * tensor names a further placement that the server has, the shard is made there.
     *
     * @param slice the slice, with the one of this factory's placements that was chosen
     * @param store the server's memory. A shard in host memory names its parts {@code tensor.slice.what}, for example
     *     {@code w.0.values}
     * @param lane the lane of the shard, and the call that runs there
     */
    MadeShard make(Slice slice, Store store, ShardLane lane);
}

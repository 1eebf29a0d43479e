package io.psf.testkit;

import io.psf.api.Caller;
import io.psf.api.Role;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.FunctionMemory;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.StoredShard;
import io.psf.runtime.internal.server.invocation.CallTarget;
import io.psf.runtime.internal.server.lane.Scratch;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.node.LaneShard;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The target of a call: a node, or a shard of it. Adds what a test checks.
 *
 * @param onward makes the calls of handlers
 * @param shard null for the node
 */
record TestTarget(Caller onward, HostNode node, @Nullable TestShard shard) {
    /** The floats of the scratch memory that a lane begins with. */
    private static final int SCRATCH = 1 << 14;

    CallTarget target() {
        return shard == null ? node : shard.onLane();
    }

    /** Returns the node as handlers see it. */
    StoredNode handledNode() {
        return node.handled();
    }

    /** Returns the target's name, for messages. */
    String label() {
        return shard == null
                ? node.handled().role().label() + " " + node.handled().rank()
                : shard.range().toString();
    }

    /**
     * Checks that the target is not the memory of another function.
     *
     * @throws io.psf.api.PsException with {@code BAD_REQUEST}
     */
    void requireUsableBy(String function) {
        if (shard != null) {
            FunctionMemory.require(shard.onLane().owner(), shard.spec().id(), function);
        }
    }

    /** Returns the caller of a handler; one of a read-only function calls read-only functions alone. */
    Caller caller(FunctionInfo function) {
        if (node.handled().role() != Role.SERVER) {
            throw new IllegalStateException("caller of " + label() + ": none (expected: asked for on a server)");
        }
        return function.readOnly() ? new ReadingCaller(function.name(), onward) : onward;
    }

    /** Notifies the test that a request is released. */
    void released(int worker) {
        if (shard != null) {
            shard.released(worker);
        }
    }

    /** Fills the scratch memory with NaN, so that a test detects a handler that does not fill what it allocates. */
    void spoilScratch() {
        Scratch scratch = target().lane().scratch();
        FloatArray all = scratch.allocate(SCRATCH);
        all.fill(Float.NaN);
        scratch.reset();
    }

    /**
     * Returns a function that tells whether the values and slots of the shard, and of those beside it, are the same as
     * now, bit for bit. True for a node.
     */
    BooleanSupplier unchanged() {
        if (shard == null) {
            return () -> true;
        }
        List<float[]> before = copies();
        return () -> {
            List<float[]> now = copies();
            return before.size() == now.size()
                    && IntStream.range(0, before.size()).allMatch(i -> Arrays.equals(before.get(i), now.get(i)));
        };
    }

    private List<float[]> copies() {
        Stream<LaneShard> beside = node.handled().shards().stream()
                .sorted(Comparator.comparing(info -> info.tensor().id().name()))
                .map(info -> node.held().get(info.tensor().id().number(), info.slice()));
        return Stream.concat(Stream.of(Objects.requireNonNull(shard).onLane()), beside)
                .flatMap(each -> columns((StoredShard) each.shard()))
                .toList();
    }

    private static Stream<float[]> columns(StoredShard shard) {
        return Stream.concat(Stream.of(shard.storedValues()), new TreeMap<>(shard.storedSlots()).values().stream())
                .map(column -> column.read(0, shard.rows()).toArray());
    }
}

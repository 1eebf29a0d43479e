package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.Optimizer;
import io.psf.api.Range;
import io.psf.api.Role;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.ForwardingShard;
import io.psf.api.spi.StoredShard;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.node.LaneShard;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A shard of a {@link TestCluster}, or without a cluster, for a test of an optimizer or of one handler. It passes its
 * calls on to a shard of a server, in host memory. Scratch memory is initialized with NaN, the first 64 KiB of each
 * call, so that a test detects a handler that does not fill it.
 */
public final class TestShard extends ForwardingShard {
    private final HostNode node;
    private final LaneShard onLane;
    private IntConsumer onRelease = worker -> {};

    TestShard(HostNode node, LaneShard onLane) {
        super((StoredShard) onLane.shard());
        this.node = node;
        this.onLane = onLane;
    }

    /** Creates a shard that is a whole tensor {@code w} of zeros, without a cluster. */
    public static TestShard whole(int rows, int width, Optimizer optimizer) {
        return of(new Range(0, rows), rows, width, optimizer);
    }

    /**
     * Creates the shard of a range of a tensor {@code w} of zeros, without a cluster. Its calls are of worker 0, its
     * members are one server, and its time stands still.
     *
     * @param tensorRows the number of rows of the whole tensor
     */
    public static TestShard of(Range range, long tensorRows, int width, Optimizer optimizer) {
        TensorLayout layout = TestTensor.layoutWith(range, tensorRows, width);
        int slice = layout.bounds().indexOf(range.begin());
        TestNodes nodes = TestNodes.alone();
        nodes.create(layout, slice, optimizer, made -> {});
        TestShard shard = Objects.requireNonNull(nodes.find(layout.info().id(), slice));
        nodes.target(shard).spoilScratch();
        return shard.from(0);
    }

    /** Sets the worker of the calls that the test makes on this shard itself. */
    public TestShard from(int worker) {
        onLane.beginWork(new CallInfo(worker, 0, 0), null);
        return this;
    }

    /**
     * Sets the members that this shard's server knows: the servers as before, and workers. Notifies each attachment
     * that listens.
     */
    public TestShard workers(int... ranks) {
        node.setMembers(Stream.concat(
                        members().stream().filter(member -> member.role() != Role.WORKER),
                        IntStream.of(ranks).mapToObj(rank -> new Member(Role.WORKER, rank, "", 0)))
                .toList());
        return this;
    }

    /** Sets the listener that receives the worker of each request that is released before its answer. */
    public TestShard onRelease(IntConsumer listener) {
        onRelease = listener;
        return this;
    }

    LaneShard onLane() {
        return onLane;
    }

    HostNode node() {
        return node;
    }

    /** Notifies the listener of a request that is released. */
    void released(int worker) {
        onRelease.accept(worker);
    }

    @Override
    public Runnable requestRelease() {
        int worker = call().worker();
        return () -> released(worker);
    }

    /** Allocates memory that no call ends: only the calls of a cluster give their scratch memory back. */
    @Override
    public FloatArray allocate(int n) {
        FloatArray scratch = FloatArray.allocate(n);
        scratch.fill(Float.NaN);
        return scratch;
    }
}

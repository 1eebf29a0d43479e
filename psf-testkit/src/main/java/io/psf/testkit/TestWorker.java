package io.psf.testkit;

import io.psf.api.ClusterCaller;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A worker of a test's cluster. */
final class TestWorker implements ClusterCaller, FunctionCaller {
    /** The limit of calls and barriers without one of their own: the limit of a worker with the usual configuration. */
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final TestCluster cluster;
    private final TestPrograms programs;
    private final TestBarrier barrier;
    private final int rank;
    /** The calls that {@link #awaitAll} waits for, or whose failure it reports. */
    private final List<Sent> sent = new ArrayList<>();

    private record Sent(@Nullable TensorId tensor, TestPending<?> pending) {}

    TestWorker(TestCluster cluster, TestPrograms programs, TestBarrier barrier, int rank) {
        this.cluster = cluster;
        this.programs = programs;
        this.barrier = barrier;
        this.rank = rank;
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        cluster.requireRunning();
        programs.yieldBeforeCall();
        sent.removeIf(each -> each.pending().isSettled());
        TestPending<R> pending = new TestPending<>(
                function.info().name(),
                cluster.call(rank, function, request, into),
                () -> false,
                programs,
                options.deadline() == null ? DEADLINE : options.deadline());
        if (!options.background()) {
            sent.add(new Sent(function.target(request), pending));
        }
        return pending;
    }

    @Override
    public List<TensorLayout> declare(List<TensorDeclaration> tensors) {
        return cluster.declare(tensors);
    }

    @Override
    public TensorLayout layout(TensorId tensor) {
        return cluster.layout(tensor);
    }

    @Override
    public void forget(TensorId tensor) {
        cluster.forget(tensor);
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int workers() {
        return (int) members().stream()
                .filter(member -> member.role() == Role.WORKER)
                .count();
    }

    @Override
    public void end() {
        cluster.end();
    }

    @Override
    public List<Member> members() {
        return cluster.members();
    }

    @Override
    public List<Member> lost() {
        return List.of();
    }

    @Override
    public void barrier() {
        barrier(DEADLINE);
    }

    @Override
    public void barrier(Duration limit) {
        barrier.await(rank, limit);
    }

    @Override
    public void await(TensorId tensor) {
        awaitEach(sent.stream()
                .filter(each -> Objects.equals(each.tensor(), tensor))
                .toList());
    }

    @Override
    public void awaitAll() {
        awaitEach(List.copyOf(sent));
    }

    private void awaitEach(List<Sent> calls) {
        PsException first = null;
        for (Sent each : calls) {
            if (!each.pending().isSettled()) {
                try {
                    var unused = each.pending().await();
                } catch (PsException e) {
                    first = first == null ? e : first;
                }
            }
        }
        sent.removeIf(each -> each.pending().isSettled());
        if (first != null) {
            throw first;
        }
    }
}

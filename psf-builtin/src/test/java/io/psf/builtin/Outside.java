package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A caller that is no member of the cluster, and has no rank. */
record Outside(ClusterCaller cluster) implements ClusterCaller, FunctionCaller {
    static final String REFUSED = "rank of a client: none (expected: a worker, which has one)";

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return FunctionCaller.of(cluster).call(function, request, into, options);
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
        throw new PsException(PsException.Code.BAD_REQUEST, REFUSED);
    }

    @Override
    public int workers() {
        return cluster.workers();
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
        return cluster.lost();
    }

    @Override
    public void barrier() {
        throw new PsException(PsException.Code.BAD_REQUEST, REFUSED);
    }

    @Override
    public void barrier(Duration limit) {
        barrier();
    }

    @Override
    public void await(TensorId tensor) {
        cluster.await(tensor);
    }

    @Override
    public void awaitAll() {
        cluster.awaitAll();
    }
}

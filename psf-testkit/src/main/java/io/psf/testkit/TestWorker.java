package io.psf.testkit;

import io.psf.api.Pending;
import io.psf.api.TensorCaller;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A worker of a test's cluster. */
record TestWorker(TestCluster cluster, int rank) implements TensorCaller, FunctionCaller {
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return cluster.call(rank, function, request, into);
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
}

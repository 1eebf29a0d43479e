package io.psf.testkit;

import io.psf.api.Pending;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import org.jspecify.annotations.Nullable;

/** A worker of a test's cluster. */
record TestWorker(TestCluster cluster, int rank) implements TensorCaller, FunctionCaller {
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return cluster.call(rank, function, request, into);
    }

    @Override
    public TensorLayout declare(TensorInfo info, int slices, @Nullable TensorId beside, String declaration) {
        return cluster.declare(info, slices, beside, declaration);
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

package io.psf.runtime;

import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.CallLimits;
import io.psf.runtime.internal.call.Layouts;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.KnownTensors;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Prepares the calls of a caller that are repeated since their layouts were out of date. */
record RepeatedCalls(ConnectedCaller caller, KnownTensors known, ServerLinks servers) implements Layouts {
    @Override
    public void doubt() {
        known.doubt();
    }

    @Override
    public CompletableFuture<TensorLayout> refresh(TensorId tensor) {
        return known.refresh(tensor);
    }

    @Override
    public CompletableFuture<List<Peer>> owners(TensorLayout layout) {
        return CompletableFuture.completedFuture(servers.peers());
    }

    @Override
    public <Q, R> CompletableFuture<Call<R>> prepare(
            Function<Q, R> function, Q request, @Nullable R into, CallLimits limits) {
        return CompletableFuture.completedFuture(caller.prepare(function, request, into, limits));
    }
}

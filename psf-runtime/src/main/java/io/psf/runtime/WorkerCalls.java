package io.psf.runtime;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.CallLimits;
import io.psf.runtime.internal.call.Layouts;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.call.TaskStep;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.KnownTensors;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the calls of a worker or client: finds the layout of the tensor, the nodes, and the limits of each, also of
 * a call that is repeated since its layout was out of date. Thread-safe.
 */
final class WorkerCalls implements Layouts {
    private static final Duration LONGEST = Duration.ofDays(24);

    private final CallClient client;
    private final ClusterLink link;
    private final ServerLinks servers;
    private final CallGate gate;
    private final KnownTensors known;
    private final CallLimits usual;
    private final java.util.function.Function<TensorId, TensorLayout> layout = this::layout;

    /**
     * Prepares calls from now on, also the repeated ones of the client.
     *
     * @param deadline of calls without one of their own, and of questions to the scheduler
     */
    WorkerCalls(CallClient client, ClusterLink link, ServerLinks servers, CallGate gate, Duration deadline) {
        this.client = client;
        this.link = link;
        this.servers = servers;
        this.gate = gate;
        this.known = new KnownTensors(link, deadline);
        this.usual = new CallLimits(nanos(deadline), 0, false, client::callBack);
        client.repeatWith(this);
    }

    /** Returns a limit in nanoseconds, at most {@link #LONGEST}. */
    static long nanos(Duration limit) {
        return limit.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : limit.toNanos();
    }

    /** Returns a prepared call that is not sent yet; as a step of a task unless that is null. */
    <Q, R> Call<R> prepare(
            Function<Q, R> function, Q request, @Nullable R into, CallOptions options, @Nullable TaskStep step) {
        return prepare(function, request, into, limits(options, step), options.withoutLost());
    }

    private CallLimits limits(CallOptions options, @Nullable TaskStep step) {
        Duration deadline = options.deadline();
        return deadline == null && options.priority() == 0 && !options.background() && step == null
                ? usual
                : new CallLimits(
                        deadline == null ? usual.timeoutNanos() : nanos(deadline),
                        options.priority(),
                        options.background(),
                        usual.repeats(),
                        step);
    }

    private <Q, R> Call<R> prepare(
            Function<Q, R> function, Q request, @Nullable R into, CallLimits limits, boolean withoutLost) {
        gate.requireOpen();
        TensorId tensor = function.target(request);
        List<Peer> nodes = servers.peers();
        try {
            if (tensor == null && function.info().place() == Place.SHARD) {
                throw new PsException(
                        Code.BAD_REQUEST, "tensor: null (expected: the id of a tensor that has been initialized)");
            }
            if (tensor != null) {
                return client.onShards(function, request, into, layout(tensor), layout, nodes, limits);
            } else if (function.info().place() == Place.SCHEDULER) {
                return client.onNodes(function, request, List.of(link.scheduler()), limits);
            }
            OptionalLong key = function.ownerKey(request);
            return client.onNodes(
                    function,
                    request,
                    key.isPresent()
                            ? List.of(nodes.get(link.view().state().owner(key.getAsLong())))
                            : servers.all(withoutLost),
                    limits);
        } catch (PsException e) {
            throw e.at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
        }
    }

    /** Returns a tensor's layout. Blocks until the scheduler answers, unless the layout is known. */
    TensorLayout layout(TensorId tensor) {
        TensorLayout found = known.known(tensor);
        if (found == null) {
            gate.requireOpen();
            found = known.require(tensor);
        }
        return found;
    }

    /** Returns the layouts of the tensors that have been declared. Blocks until the scheduler answers. */
    Map<TensorId, TensorLayout> layouts(List<TensorId> tensors) {
        gate.requireOpen();
        return known.declared(tensors);
    }

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
        return CompletableFuture.completedFuture(prepare(function, request, into, limits, false));
    }
}

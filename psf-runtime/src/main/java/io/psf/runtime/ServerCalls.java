package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.CallLimits;
import io.psf.runtime.internal.call.Layouts;
import io.psf.runtime.internal.call.OfferingTransport;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.ClusterChange;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.ClusterState;
import io.psf.runtime.internal.cluster.KnownTensors;
import io.psf.runtime.internal.cluster.Session;
import io.psf.runtime.internal.server.Dispatcher;
import io.psf.runtime.internal.server.invocation.Outgoing;
import io.psf.runtime.internal.transport.memory.InProcessTransport;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The outgoing calls of a server's handlers: connections to the other servers, and an in-memory connection to this one.
 * Each is established by a thread of its own, when it is first needed. A call is sent once: it fails if its connection
 * breaks, and the next call reconnects. Thread-safe.
 */
final class ServerCalls implements Outgoing, Layouts, AutoCloseable {
    private static final Duration LINK_LIMIT = Duration.ofSeconds(10);

    private final ClusterLink link;
    private final Transport transport;
    private final InProcessTransport self = new InProcessTransport();
    private final int selfPort;
    private final CallClient client;
    private final Map<Integer, CompletableFuture<Peer>> peers = new ConcurrentHashMap<>();
    private final KnownTensors layouts;

    /**
     * Creates the outgoing calls of a server's handlers.
     *
     * @param client the client that the link belongs to
     */
    ServerCalls(CallClient client, ClusterLink link, Transport transport, Dispatcher dispatcher) {
        this.client = client;
        this.link = link;
        this.layouts = new KnownTensors(link, LINK_LIMIT);
        client.repeatWith(this);
        this.transport = new OfferingTransport(transport, Defaults.CONNECTION_BOUND);
        this.selfPort = self.listen("", 0, dispatcher).port();
    }

    /**
     * The destination of a call.
     *
     * @param nodes the nodes that answer; for a call on shards the servers by rank, some of which the layout names
     * @param layout the layout of the tensor; null for a call on nodes
     * @param others the layouts of the other tensors whose keys the request has
     */
    private record Route(List<Peer> nodes, @Nullable TensorLayout layout, Map<TensorId, TensorLayout> others) {
        Route(List<Peer> nodes) {
            this(nodes, null, Map.of());
        }

        private TensorLayout other(TensorId tensor) {
            return Objects.requireNonNull(others.get(tensor), () -> "layout of tensor " + tensor);
        }
    }

    @Override
    public <Q, R> CompletableFuture<Call<R>> start(
            Function<Q, R> function, Q request, @Nullable R into, long deadline, int priority, Executor lane) {
        CompletableFuture<Route> route = route(function, request);
        if (route.isDone()) {
            return route.thenApply(to -> startOn(to, function, request, into, deadline, priority, lane));
        }
        long left = Math.max(1, deadline - System.nanoTime());
        return route.copy()
                .orTimeout(left, TimeUnit.NANOSECONDS)
                .exceptionally(e -> {
                    throw failed(e);
                })
                .thenApplyAsync(to -> startOn(to, function, request, into, deadline, priority, lane), lane);
    }

    private static PsException failed(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof PsException known) {
            return known;
        }
        return cause instanceof TimeoutException
                ? new PsException(Code.TIMED_OUT, "the servers were not found before the deadline", cause)
                : new PsException(Code.INTERNAL, "finding the servers: " + cause, cause);
    }

    private <Q, R> Call<R> startOn(
            Route route,
            Function<Q, R> function,
            Q request,
            @Nullable R into,
            long deadline,
            int priority,
            Executor lane) {
        long left = Math.max(1, deadline - System.nanoTime());
        return client.start(prepare(route, function, request, into, new CallLimits(left, priority, true, lane)));
    }

    private <Q, R> Call<R> prepare(
            Route route, Function<Q, R> function, Q request, @Nullable R into, CallLimits limits) {
        TensorLayout layout = route.layout();
        return layout == null
                ? client.onNodes(function, request, route.nodes(), limits)
                : client.onShards(function, request, into, layout, route::other, route.nodes(), limits);
    }

    /** Returns a caller whose calls to nodes run on this server alone. */
    FunctionCaller here() {
        return on(() -> List.of(link.rank()));
    }

    /** Returns a caller whose calls to nodes run on all servers. */
    FunctionCaller onAll() {
        return on(() -> state().servers());
    }

    private FunctionCaller on(Supplier<List<Integer>> ranks) {
        return new FunctionCaller() {
            @Override
            public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
                Duration deadline = options.deadline() == null ? LINK_LIMIT : options.deadline();
                try {
                    List<Peer> called = peers(ranks.get()).join();
                    return client.start(client.onNodes(function, request, called, CallLimits.of(deadline.toNanos())));
                } catch (CompletionException e) { // this server has been lost again, for example
                    throw failed(e);
                }
            }
        };
    }

    @Override
    public void doubt() {
        layouts.doubt();
    }

    @Override
    public CompletableFuture<TensorLayout> refresh(TensorId tensor) {
        return layouts.refresh(tensor);
    }

    @Override
    public <Q, R> CompletableFuture<Call<R>> prepare(
            Function<Q, R> function, Q request, @Nullable R into, CallLimits limits) {
        return route(function, request).thenApply(to -> prepare(to, function, request, into, limits));
    }

    private <Q> CompletableFuture<Route> route(Function<Q, ?> function, Q request) {
        if (function.info().place() == Place.SCHEDULER) {
            return CompletableFuture.completedFuture(new Route(List.of(link.scheduler())));
        } else if (function.info().place() == Place.SERVER) {
            OptionalLong key = function.ownerKey(request);
            return peers(key.isPresent() ? List.of(state().owner(key.getAsLong())) : state().servers())
                    .thenApply(Route::new);
        }
        TensorId tensor = function.target(request);
        if (tensor == null) {
            return CompletableFuture.failedFuture(new PsException(
                    Code.BAD_REQUEST, "tensor: null (expected: the id of a tensor that has been initialized)"));
        }
        CompletableFuture<Map<TensorId, TensorLayout>> others = found(function.others(request));
        return layouts.find(tensor).thenCombine(others, Found::new).thenCompose(known -> {
            TensorLayout layout = known.first();
            return owners(layout).thenApply(byRank -> new Route(byRank, layout, known.others()));
        });
    }

    @Override
    public CompletableFuture<List<Peer>> owners(TensorLayout layout) {
        List<Integer> ranks = layout.servers().stream().distinct().toList();
        return peers(ranks).thenApply(some -> {
            Peer[] byRank = new Peer[Collections.max(ranks) + 1];
            for (int i = 0; i < byRank.length; i++) {
                byRank[i] = some.get(Math.max(0, ranks.indexOf(i))); // any peer for a server that is not called
            }
            return List.of(byRank);
        });
    }

    private record Found(TensorLayout first, Map<TensorId, TensorLayout> others) {}

    private CompletableFuture<Map<TensorId, TensorLayout>> found(List<TensorId> tensors) {
        CompletableFuture<Map<TensorId, TensorLayout>> all = CompletableFuture.completedFuture(Map.of());
        for (TensorId tensor : tensors) {
            all = all.thenCombine(layouts.find(tensor), (before, layout) -> {
                Map<TensorId, TensorLayout> now = new HashMap<>(before);
                now.put(tensor, layout);
                return now;
            });
        }
        return all;
    }

    private CompletableFuture<List<Peer>> peers(Collection<Integer> ranks) {
        List<CompletableFuture<Peer>> found = ranks.stream().map(this::peer).toList();
        return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
                .thenApply(all -> found.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<Peer> peer(int rank) {
        return peers.compute(
                rank,
                (r, known) -> known != null && !isLost(known)
                        ? known
                        : CompletableFuture.supplyAsync(() -> connect(rank), Defaults.REQUESTS));
    }

    private static boolean isLost(CompletableFuture<Peer> peer) {
        return peer.isCompletedExceptionally() || peer.isDone() && peer.join().isLost();
    }

    private ClusterState state() {
        return link.view().state();
    }

    private Peer connect(int rank) {
        Member server = state().server(rank);
        if (server == null) {
            throw new PsException(
                    Code.UNAVAILABLE, "server " + rank + ": not in the cluster (expected: one of " + state() + ")");
        }
        boolean isHere = server.rank() == link.rank();
        Peer peer = Session.without(
                client,
                isHere ? new OfferingTransport(self, Defaults.CONNECTION_BOUND) : transport,
                isHere ? new Member(Role.SERVER, server.rank(), "", selfPort) : server,
                link.ticket(),
                LINK_LIMIT);
        peer.keepAlive(link.limits().heartbeat().toNanos());
        return peer;
    }

    /** Fails the calls that wait for a lost server. */
    void lost(ClusterChange.Loss loss) {
        CompletableFuture<Peer> peer =
                loss.member().role() == Role.SERVER ? peers.get(loss.member().rank()) : null;
        if (peer != null && !isLost(peer) && peer.isDone()) {
            client.peerLost(
                    peer.join(), new PsException(Code.UNAVAILABLE, "lost " + loss.member() + ": " + loss.reason()));
        }
    }

    @Override
    public void close() {
        for (CompletableFuture<Peer> peer : peers.values()) {
            if (peer.isDone() && !peer.isCompletedExceptionally()) {
                client.disconnect(peer.join());
            }
        }
        self.close();
    }
}

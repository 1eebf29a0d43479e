package io.psf.runtime.call;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TensorLayout;
import io.psf.api.spi.TupleWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The calling side of a node: sends requests to peers, and gives each answer to the call that it belongs to. Every call
 * ends, with an answer, an error, or its deadline. Thread-safe.
 */
public final class Client implements Receiver {
    private static final int KEPT_FAILURES = 1000;

    private final FramePool pool;
    private final Consumer<TensorId> onStale;
    private final AtomicLong nextCall = new AtomicLong(1);
    private final Map<Long, Call<?>> outstanding = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Call<?>> failures = new ConcurrentLinkedQueue<>();
    private final Map<Channel, Peer> peers = new ConcurrentHashMap<>();
    private final ThreadLocal<TupleWriter> writers = ThreadLocal.withInitial(TupleWriter::new);
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder bytesReceived = new LongAdder();

    /** A calling side that takes its frames from a pool. */
    public Client(FramePool pool) {
        this(pool, tensor -> {});
    }

    /**
     * A calling side that takes its frames from a pool.
     *
     * @param onStale told of a tensor that is not, or no longer, where it was taken to be
     */
    public Client(FramePool pool, Consumer<TensorId> onStale) {
        this.pool = pool;
        this.onStale = onStale;
    }

    /** Connects to a node. */
    public Peer connect(Transport transport, String host, int port, String name) {
        Channel channel = transport.connect(host, port, this);
        channel.trust();
        Peer peer = new Peer(channel, name);
        peers.put(channel, peer);
        if (!channel.isOpen()) {
            closed(channel, new PsException(PsException.Code.UNAVAILABLE, "connection closed"));
        }
        return peer;
    }

    /** Calls a function on whole nodes. */
    public <Q, R> Call<R> callNodes(Function<Q, R> function, Q request, List<Peer> nodes, long timeoutNanos) {
        Routing routing = Routing.overNodes(nodes.size());
        return send(function, request, null, null, routing, nodes::get, null, timeoutNanos, false);
    }

    /** Calls a function on a node, for the node's own sake: {@link #await} does not wait for it. */
    public <Q, R> Call<R> callInBackground(Function<Q, R> function, Q request, Peer peer, long timeoutNanos) {
        return send(function, request, null, null, Routing.overNodes(1), node -> peer, null, timeoutNanos, true);
    }

    /**
     * Calls a function on the shards of a tensor.
     *
     * @param servers the peer of a server's rank
     */
    public <Q, R> Call<R> callShards(
            Function<Q, R> function,
            Q request,
            @Nullable R into,
            TensorLayout layout,
            IntFunction<Peer> servers,
            long timeoutNanos) {
        Routing routing = Routing.overSlices(function, request, layout);
        return send(
                function,
                request,
                into,
                layout,
                routing,
                slice -> servers.apply(layout.servers().get(slice)),
                layout.info().id(),
                timeoutNanos,
                false);
    }

    private <Q, R> Call<R> send(
            Function<Q, R> function,
            Q request,
            @Nullable R into,
            @Nullable TensorLayout layout,
            Routing routing,
            IntFunction<Peer> peerOf,
            @Nullable TensorId tensor,
            long timeoutNanos,
            boolean background) {
        FunctionInfo info = function.info();
        int parts = routing.parts();
        Peer[] targets = new Peer[parts];
        String[] slices = layout == null ? null : new String[parts];
        for (int part = 0; part < parts; part++) {
            targets[part] = peerOf.apply(routing.slice(part));
            targets[part].require(info);
            if (slices != null && layout != null) {
                slices[part] = layout.range(routing.slice(part)).toString();
            }
        }
        Merge<R> merge = function.merge(request, routing, into);
        Call<R> call = new Call<>(
                this,
                nextCall.getAndIncrement(),
                function,
                tensor,
                routing,
                merge,
                targets,
                slices,
                timeoutNanos,
                background);
        if (parts == 0) {
            call.answeredByNobody();
            return call;
        }
        outstanding.put(call.id(), call);
        for (int part = 0; part < parts && !call.isDone(); part++) {
            try {
                targets[part].channel().send(frame(function, request, layout, routing, part, call), call.deadline());
            } catch (PsException e) {
                call.failAtOnce(part, e);
            } catch (RuntimeException | OutOfMemoryError e) { // the request's own components, say, which are the user's
                call.failAtOnce(part, new PsException(PsException.Code.BAD_REQUEST, "writing the request: " + e, e));
            }
        }
        return call;
    }

    private <Q> Frame frame(
            Function<Q, ?> function,
            Q request,
            @Nullable TensorLayout layout,
            Routing routing,
            int part,
            Call<?> call) {
        FunctionInfo info = function.info();
        TensorId tensor = call.tensor();
        TupleWriter writer = writers.get();
        writer.reset();
        try {
            function.write(request, routing, part, writer);
            Frame frame = Frame.write(
                    pool,
                    Frame.Kind.REQUEST,
                    info.version(),
                    info.id(),
                    info.fingerprint(),
                    tensor == null ? 0 : tensor.number(),
                    routing.slice(part),
                    call.id(),
                    call.millisLeft(),
                    layout == null ? 0 : TensorLayout.stamp(layout.info(), layout.range(routing.slice(part))),
                    writer);
            bytesSent.add(frame.length());
            return frame;
        } finally {
            writer.reset();
        }
    }

    @Override
    public void received(Channel channel, Frame frame) {
        bytesReceived.add(frame.length());
        if (frame.kind() != Frame.Kind.ANSWER) {
            frame.release();
            return;
        }
        Peer peer = peers.get(channel);
        if (frame.call() == 0 && peer != null) { // the peer refuses the connection itself
            String why = frame.reader(null).string();
            PsException.Code code = frame.status();
            frame.release();
            peerLost(peer, new PsException(code, why));
            return;
        }
        Call<?> call = outstanding.get(frame.call());
        if (call == null) {
            frame.release();
        } else {
            call.answered(call.part(frame.slice(), peer), frame);
        }
    }

    @Override
    public void closed(Channel channel, PsException cause) {
        Peer peer = peers.remove(channel);
        if (peer != null) {
            peerLost(peer, new PsException(cause.code(), peer.name() + ": " + cause.detail()));
        }
    }

    /** Ends every call that waits for a node, and every later one to it. */
    public void peerLost(Peer peer, PsException cause) {
        peer.lose(cause);
        for (Call<?> call : outstanding.values()) {
            call.peerLost(peer, cause);
        }
    }

    /** Ends the calls whose deadline has passed; to be called now and then. */
    public void expire() {
        long now = System.nanoTime();
        for (Call<?> call : outstanding.values()) {
            call.expire(now);
        }
    }

    /** Ends every call. */
    public void failAll(PsException cause) {
        for (Call<?> call : outstanding.values()) {
            call.failAtOnce(-1, cause);
        }
    }

    /**
     * Waits until every call on a tensor that was sent before has ended.
     *
     * @param tensor null for the calls on every tensor and on none
     * @throws PsException of the first of them that failed without anybody having awaited it
     */
    public void await(@Nullable TensorId tensor) {
        for (Call<?> call : new ArrayList<>(outstanding.values())) {
            if (!call.isBackground() && concerns(call, tensor)) {
                call.awaitEnd();
            }
        }
        for (Call<?> call : failures) {
            if (concerns(call, tensor) && failures.remove(call) && !call.isObserved()) {
                call.await();
            }
        }
    }

    private static boolean concerns(Call<?> call, @Nullable TensorId tensor) {
        return tensor == null || Objects.equals(tensor, call.tensor());
    }

    /** Tells the nodes that still have to answer that nobody waits for it any more. */
    void cancelled(Call<?> call, int function, Set<Peer> waitedFor) {
        outstanding.remove(call.id());
        for (Peer peer : waitedFor) {
            peer.channel().offer(Frame.cancel(pool, function, call.id()), () -> {});
        }
    }

    void ended(Call<?> call) {
        outstanding.remove(call.id());
    }

    void failed(Call<?> call, PsException failure) {
        TensorId tensor = call.tensor();
        if (tensor != null && (failure.code() == Code.STALE_LAYOUT || failure.code() == Code.UNKNOWN_TENSOR)) {
            onStale.accept(tensor);
        }
        if (!call.isBackground()) {
            failures.add(call);
            while (failures.size() > KEPT_FAILURES) {
                failures.poll();
            }
        }
    }

    void observed(Call<?> call) {
        failures.remove(call);
    }

    /** How many calls are under way. */
    public int outstanding() {
        return outstanding.size();
    }

    /** Bytes of all requests sent, frames' headers included. */
    public long bytesSent() {
        return bytesSent.sum();
    }

    /** Bytes of all answers received, frames' headers included. */
    public long bytesReceived() {
        return bytesReceived.sum();
    }
}

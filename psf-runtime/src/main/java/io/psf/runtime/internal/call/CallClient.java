package io.psf.runtime.internal.call;

import io.psf.api.CallListener;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.api.spi.Routing;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The calling side of a node: sends requests to peers, and passes each answer to its call. Every call ends: with a
 * result, with an error, or at its deadline. Thread-safe.
 */
public final class CallClient {
    /** As many calls are sent again before the first of them has ended, if they are sent with care. */
    private static final int CAREFUL_CALLS = 4;

    private static final long CARE_STEP = TimeUnit.MICROSECONDS.toNanos(100);

    private final FramePool pool;
    private final InFlight calls;
    /** Of the channels that are connected. */
    private final Map<Channel, Link> links = new ConcurrentHashMap<>();

    private final Link.Owner receiving = new Receiving();
    private final LongAdder bytesReceived = new LongAdder();

    /** Creates a calling side that allocates its frames from a pool. */
    public CallClient(FramePool pool) {
        this.pool = pool;
        this.calls = new InFlight(pool);
    }

    /** Runs stages of a caller's future, which may block, on a thread that does nothing else. Does not block. */
    public void callBack(Runnable stages) {
        calls.callBack(stages);
    }

    /** Sets the layouts by which calls are split, and are repeated if the layouts turn out to be out of date. */
    public void repeatWith(Layouts layouts) {
        calls.setLayouts(layouts);
    }

    /** Numbers the calls from now on from a number that is higher than the number of any earlier call. */
    public void numberFrom(long number) {
        calls.outstanding().skipTo(number);
    }

    /** Sets the number by which the servers know this client, as {@link io.psf.api.CallInfo#worker} has it. */
    public void setWorker(int number) {
        calls.events().setWorker(number);
    }

    /** Adds a listener to all later events. */
    public void listen(CallListener listener) {
        calls.events().listen(listener);
    }

    /** Counts what all calls take, from the first time on. Returns what was counted. */
    public CallTotals count() {
        return calls.count();
    }

    /**
     * Connects to a node and trusts it. Threads that await calls read what arrives over the transport of the first
     * connection.
     */
    public Peer connect(Transport transport, String host, int port, String name) {
        calls.pollFirst(transport);
        Link link = new Link(receiving);
        Channel channel = transport.connect(host, port, unused -> link);
        channel.trust();
        Peer peer = new Peer(channel, name);
        link.setPeer(peer, 1);
        links.put(channel, link);
        PsException cause = link.cause();
        if (cause != null) { // it has closed before the client knew the link
            link.closed(channel, cause);
        }
        return peer;
    }

    /** Takes what arrives over the channels. */
    private final class Receiving implements Link.Owner {
        @Override
        public void answered(@Nullable Peer peer, int epoch, Frame frame) {
            bytesReceived.add(frame.length());
            Call<?> call = calls.outstanding().get(frame.call());
            if (call == null) {
                frame.release();
                return;
            }
            if (peer != null) {
                peer.answered();
            }
            calls.events().received(call, frame);
            call.answered(peer, epoch, frame);
        }

        @Override
        public void peerLost(Peer peer, PsException cause) {
            CallClient.this.peerLost(peer, cause);
        }

        @Override
        public boolean remove(Channel channel, Link link) {
            return links.remove(channel, link);
        }
    }

    /** Calls a function on whole nodes. */
    public <Q, R> Call<R> callNodes(Function<Q, R> function, Q request, List<Peer> nodes, long timeoutNanos) {
        return start(onNodes(function, request, nodes, CallLimits.of(timeoutNanos)));
    }

    /** Calls a function on a node for this node's own purposes: {@link #await} ignores the call. */
    public <Q, R> Call<R> callInBackground(Function<Q, R> function, Q request, Peer peer, long timeoutNanos) {
        return start(onNodes(function, request, List.of(peer), new CallLimits(timeoutNanos, 0, true, null)));
    }

    /** Prepares a call of a function on whole nodes. It has still to be sent. */
    public <Q, R> Call<R> onNodes(Function<Q, R> function, Q request, List<Peer> nodes, CallLimits limits) {
        Routing routing = Routing.overNodes(nodes.size());
        return prepare(function, request, null, null, routing, nodes, limits);
    }

    /**
     * Prepares a call of a function on the shards of a tensor. It has still to be sent.
     *
     * @param layouts finds the layout of another tensor whose keys the request has
     * @param servers by rank
     */
    public <Q, R> Call<R> onShards(
            Function<Q, R> function,
            Q request,
            @Nullable R into,
            TensorLayout layout,
            java.util.function.Function<TensorId, TensorLayout> layouts,
            List<Peer> servers,
            CallLimits limits) {
        Routing routing = Routing.overSlices(function, request, layout, layouts);
        return prepare(function, request, into, layout, routing, servers, limits);
    }

    private <Q, R> Call<R> prepare(
            Function<Q, R> function,
            Q request,
            @Nullable R into,
            @Nullable TensorLayout layout,
            Routing routing,
            List<Peer> nodes,
            CallLimits limits) {
        Peer[] targets = new Peer[routing.parts()];
        for (int part = 0; part < targets.length; part++) {
            int slice = routing.slice(part);
            targets[part] = nodes.get(layout == null ? slice : layout.server(slice));
            targets[part].require(function.info());
        }
        CallParts<R> parts = new CallParts<>(routing, targets, function.merge(request, routing, into));
        return new Call<>(calls, function, request, into, parts, limits);
    }

    /** Sends a call. */
    public <R> Call<R> start(Call<R> call) {
        calls.start(call);
        return call;
    }

    /** Sends calls that go to the same nodes. Those to one slice are sent in one frame. */
    public void startTogether(List<Call<?>> together) {
        List<Call<?>> chain = List.copyOf(together);
        chain.forEach(call -> call.release(chain));
        PsException closed = calls.outstanding().put(chain);
        if (closed != null) {
            chain.forEach(call -> call.failAtOnce(-1, closed));
            return;
        }
        for (Call<?> call : chain) {
            if (call.parts().count() == 0) {
                call.answeredByNobody();
            }
            if (call.parts().count() == 0 || call.isEnded()) { // for example cancelled before it was sent
                calls.outstanding().remove(call);
            } else {
                calls.events().called(call);
            }
        }
        chain.forEach(call -> calls.sender().sendParts(call, null));
    }

    /**
     * Moves a peer to the channel of another one, which has resumed its session. Sends the calls without an answer
     * again, in the order of their numbers. Blocks for {@code careNanos} at most.
     *
     * @param careNanos how long the sending waits in all, so that no more than four calls are without an answer at a
     *     time; 0 to send all calls at once. With care the first calls end also over a network that loses one of many
     *     frames, and with it the connection
     * @return true if the peer is connected again; if its new channel breaks later, that is handled as for any other
     *     channel
     */
    public boolean resume(Peer peer, Peer fresh, long careNanos) {
        Channel channel = fresh.channel();
        int epoch = peer.replace(channel);
        Link link = links.get(channel);
        if (link != null) { // else the channel has closed, which the loop below finds
            link.setPeer(peer, epoch);
        }
        boolean connected;
        long left = careNanos;
        do {
            List<Call<?>> unsent = unsent(peer, epoch)
                    .sorted(Comparator.comparingLong(Call::id))
                    .toList();
            for (int i = 0; i < unsent.size() && channel.isOpen(); i++) {
                if (i >= CAREFUL_CALLS) {
                    left = awaitEnd(unsent.get(i - CAREFUL_CALLS), channel, left);
                }
                calls.sender().sendParts(unsent.get(i), peer);
            }
            connected = peer.connect(() -> unsent(peer, epoch).findAny().isEmpty());
        } while (!connected && channel.isOpen() && !peer.isLost());
        if (connected) {
            peer.tellDone(pool, calls.outstanding().oldest(peer));
        } else {
            links.remove(channel);
            channel.close();
        }
        return connected;
    }

    /**
     * Blocks until a call has ended or the channel has closed, but not for longer than that. Returns what is left of
     * it.
     */
    private static long awaitEnd(Call<?> call, Channel channel, long nanos) {
        if (nanos <= 0) {
            return 0;
        }
        long until = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0 && !call.isEnded() && channel.isOpen()) {
            LockSupport.parkNanos(call, Math.min(left, CARE_STEP));
            left = until - System.nanoTime();
        }
        return left;
    }

    /** Returns the calls that have a part which still has to be sent over the peer's channel of an epoch. */
    private Stream<Call<?>> unsent(Peer peer, int epoch) {
        return calls.outstanding().all().stream().filter(call -> call.parts().waitFor(peer, epoch));
    }

    /** Disconnects from a node for good. Its outstanding calls fail. */
    public void disconnect(Peer peer) {
        peerLost(peer, new PsException(PsException.Code.CLOSED, "closed by this side"));
        peer.channel().close();
    }

    /** Fails every call that waits for a node, and every later call to it. */
    public void peerLost(Peer peer, PsException cause) {
        peer.lose(cause);
        for (Call<?> call : calls.outstanding().all()) {
            call.failParts(peer, cause);
        }
    }

    /**
     * Ends the calls whose deadline has passed, and sends peers the numbers of calls that are done. Has to be called
     * regularly.
     */
    public void expire() {
        for (Link link : links.values()) {
            Peer peer = link.peer();
            if (peer != null && peer.hasDone()) {
                peer.tellDone(pool, calls.outstanding().oldest(peer));
            }
        }
        calls.sample();
        long now = System.nanoTime();
        for (Call<?> call : calls.outstanding().all()) {
            call.expire(now);
        }
    }

    /**
     * Blocks while calls are in flight, as long as at least one of them ends within each period. Other threads receive
     * the answers, and the caller's own code may block those threads. Returns at once if the calling thread is
     * interrupted.
     *
     * @param often the period
     * @return the number of calls that are still in flight
     */
    public int settle(Duration often) {
        int left = calls.foreground().size();
        long until = System.nanoTime() + often.toNanos();
        while (left > 0
                && System.nanoTime() - until < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(1));
            int now = calls.foreground().size();
            if (now < left) {
                left = now;
                until = System.nanoTime() + often.toNanos();
            }
        }
        return left;
    }

    /** Fails every call that is not in the background. Returns true if one has failed so: its answer may come first. */
    public boolean failForeground(PsException cause) {
        boolean any = false;
        for (Call<?> call : calls.foreground()) {
            call.failAtOnce(-1, cause);
            PsException failure = call.failure();
            any |= failure != null && failure.code() == cause.code();
        }
        return any;
    }

    /** Fails every call, and every later one. */
    public void failAll(PsException cause) {
        for (Call<?> call : calls.outstanding().close(cause)) {
            call.failAtOnce(-1, cause);
        }
    }

    /**
     * Blocks until every call on a tensor that was sent before has ended. Calls in the background are ignored.
     *
     * @param tensor null for every call, on a tensor or not
     * @throws PsException the failure of the first such call that no thread has observed
     */
    public void await(@Nullable TensorId tensor) {
        calls.await(tensor);
    }

    /** Returns the number of calls in flight. */
    public int outstanding() {
        return calls.outstanding().size();
    }

    /** Returns the bytes of all requests sent, including the frames' headers. */
    public long bytesSent() {
        return calls.sender().bytesSent();
    }

    /** Returns the bytes of all answers received, including the frames' headers. */
    public long bytesReceived() {
        return bytesReceived.sum();
    }
}

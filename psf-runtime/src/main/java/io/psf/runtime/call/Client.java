package io.psf.runtime.call;

import io.psf.api.CallListener;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.api.spi.Routing;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Transport;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The calling side of a node: sends requests to peers, and passes each answer to its call. Every call ends: with a
 * result, with an error, or at its deadline. Thread-safe.
 */
public final class Client {
    private static final int KEPT_FAILURES = 1000;

    private final FramePool pool;
    private final Outstanding outstanding = new Outstanding();
    private final ConcurrentLinkedQueue<Call<?>> failures = new ConcurrentLinkedQueue<>();
    /** Of the channels that are connected. */
    private final Map<Channel, Link> links = new ConcurrentHashMap<>();

    private final Sender sender;
    private volatile @Nullable Layouts layouts;
    /** Null if no listener was added. */
    private volatile @Nullable EventListeners<CallListener> events;

    private final LongAdder bytesReceived = new LongAdder();
    private final Callbacks callbacks = new Callbacks();

    /** Creates a calling side that allocates its frames from a pool. */
    public Client(FramePool pool) {
        this.pool = pool;
        this.sender = new Sender(pool, this);
    }

    /** Runs stages of a caller's future, which may block, on a thread that does nothing else. Does not block. */
    public void callBack(Runnable stages) {
        callbacks.execute(stages);
    }

    /** Sets the layouts by which calls are split, and are repeated if the layouts turn out to be out of date. */
    public void repeatWith(Layouts layouts) {
        this.layouts = layouts;
    }

    /** Adds a listener to all later events. */
    public synchronized void listen(CallListener listener) {
        events = EventListeners.with(events, listener);
    }

    /** Returns the listeners; null for none. */
    @Nullable
    EventListeners<CallListener> events() {
        return events;
    }

    /** Returns the layouts by which calls are repeated; null for none. */
    @Nullable
    Layouts layouts() {
        return layouts;
    }

    /** Connects to a node and trusts it. */
    public Peer connect(Transport transport, String host, int port, String name) {
        Link link = new Link(this);
        Channel channel = transport.connect(host, port, unused -> link);
        channel.trust();
        Peer peer = new Peer(channel, name);
        link.setPeer(peer);
        links.put(channel, link);
        PsException cause = link.cause();
        if (cause != null) { // it has closed before the client knew the link
            link.closed(channel, cause);
        }
        return peer;
    }

    /** Calls a function on whole nodes. */
    public <Q, R> Call<R> callNodes(Function<Q, R> function, Q request, List<Peer> nodes, long timeoutNanos) {
        return send(onNodes(function, request, nodes, CallLimits.of(timeoutNanos)));
    }

    /** Calls a function on a node for this node's own purposes: {@link #await} ignores the call. */
    public <Q, R> Call<R> callInBackground(Function<Q, R> function, Q request, Peer peer, long timeoutNanos) {
        return send(onNodes(function, request, List.of(peer), new CallLimits(timeoutNanos, 0, true, null)));
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
        return new Call<>(this, function, request, into, new Parts(layout, routing, targets), limits);
    }

    /** Sends a call. */
    public <R> Call<R> send(Call<R> call) {
        if (call.parts().count() == 0) {
            call.answeredByNobody();
            return call;
        }
        PsException closed = outstanding.put(call);
        if (closed != null) {
            call.failAtOnce(-1, closed);
        } else {
            sender.send(call, null);
        }
        return call;
    }

    /** Sends calls that go to the same nodes. Those to one slice are sent in one frame. */
    public void sendTogether(List<Call<?>> calls) {
        List<Call<?>> chain = List.copyOf(calls);
        chain.forEach(call -> call.release(chain));
        PsException closed = outstanding.put(chain);
        if (closed != null) {
            chain.forEach(call -> call.failAtOnce(-1, closed));
            return;
        }
        for (Call<?> call : chain) {
            if (call.parts().count() == 0) {
                call.answeredByNobody();
            }
            if (call.parts().count() == 0 || call.isEnded()) { // for example cancelled before it was sent
                outstanding.remove(call);
            }
        }
        chain.forEach(call -> sender.send(call, null));
    }

    /** Takes ownership of an answer. */
    void answered(@Nullable Peer peer, Frame frame) {
        bytesReceived.add(frame.length());
        Call<?> call = outstanding.get(frame.call());
        if (call == null) {
            frame.release();
        } else {
            EventListeners<CallListener> listening = events;
            if (listening != null) {
                int bytes = frame.length();
                listening.forEach(each -> each.received(call.info().name(), bytes));
            }
            call.answered(call.parts().of(frame.slice(), peer), frame);
        }
    }

    /** Removes the link of a closed channel; false if the channel has no such link. */
    boolean remove(Channel channel, Link link) {
        return links.remove(channel, link);
    }

    /**
     * Moves a peer to the channel of another one, which has resumed its session. Sends the calls without an answer
     * again, in the order of their numbers.
     *
     * @return true if the peer is connected again; if its new channel breaks later, that is handled as for any other
     *     channel
     */
    public boolean resume(Peer peer, Peer fresh) {
        Channel channel = fresh.channel();
        Link link = links.get(channel);
        if (link != null) { // else the channel has closed, which the loop below finds
            link.setPeer(peer);
        }
        int epoch = peer.replace(channel);
        boolean connected;
        do {
            outstanding.all().stream()
                    .filter(call -> call.waitsFor(peer, epoch))
                    .sorted(Comparator.comparingLong(Call::id))
                    .forEach(call -> sender.send(call, peer));
            connected = peer.connect(() -> outstanding.all().stream().noneMatch(call -> call.waitsFor(peer, epoch)));
        } while (!connected && channel.isOpen() && !peer.isLost());
        if (connected) {
            peer.tellDone(pool, outstanding.oldest());
        } else {
            links.remove(channel);
            channel.close();
        }
        return connected;
    }

    /** Disconnects from a node for good. Its outstanding calls fail. */
    public void disconnect(Peer peer) {
        peerLost(peer, new PsException(Code.CLOSED, "closed by this side"));
        peer.channel().close();
    }

    /** Fails every call that waits for a node, and every later call to it. */
    public void peerLost(Peer peer, PsException cause) {
        peer.lose(cause);
        for (Call<?> call : outstanding.all()) {
            Sender.failParts(call, peer, cause);
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
                peer.tellDone(pool, outstanding.oldest());
            }
        }
        long now = System.nanoTime();
        for (Call<?> call : outstanding.all()) {
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
        int left = foreground().size();
        long until = System.nanoTime() + often.toNanos();
        while (left > 0
                && System.nanoTime() - until < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(1));
            int now = foreground().size();
            if (now < left) {
                left = now;
                until = System.nanoTime() + often.toNanos();
            }
        }
        return left;
    }

    private List<Call<?>> foreground() {
        return outstanding.all().stream()
                .filter(call -> !call.limits().background())
                .toList();
    }

    /** Fails every call that is not in the background. */
    public void failForeground(PsException cause) {
        foreground().forEach(call -> call.failAtOnce(-1, cause));
    }

    /** Fails every call, and every later one. */
    public void failAll(PsException cause) {
        for (Call<?> call : outstanding.close(cause)) {
            call.failAtOnce(-1, cause);
        }
    }

    /**
     * Blocks until every call on a tensor that was sent before has ended. Calls in the background are ignored.
     *
     * @param tensor null for every call, on a tensor or not
     * @throws PsException that of the first such call that failed and whose failure no thread has observed
     */
    public void await(@Nullable TensorId tensor) {
        for (Call<?> call : outstanding.all()) {
            if (!call.limits().background() && concerns(call, tensor)) {
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
        return tensor == null || call.parts().routing().concerns(tensor);
    }

    /** Removes a call that has ended, and tells the nodes that its answers are not needed any more. */
    void ended(Call<?> call, Code outcome) {
        if (!outstanding.remove(call)) {
            return; // it has not been sent
        }
        EventListeners<CallListener> listening = events;
        if (listening != null) {
            long begun = call.deadline() - call.limits().timeoutNanos();
            long nanos = System.nanoTime() - begun;
            listening.forEach(each -> each.ended(call.info().name(), outcome, nanos));
        }
        for (int part = 0; part < call.parts().count(); part++) {
            Peer peer = call.parts().peer(part);
            if (!call.parts().isAnswered(part)) {
                peer.done(pool, call.id(), true);
            } else if (!call.info().readOnly() && peer.keepsSession()) {
                peer.done(pool, call.id(), call.isLarge());
            }
        }
    }

    void failed(Call<?> call, PsException failure) {
        TensorId tensor = call.parts().tensor();
        Layouts layouts = this.layouts;
        boolean stale = failure.code() == Code.STALE_LAYOUT || failure.code() == Code.UNKNOWN_TENSOR;
        if (tensor != null && layouts != null && stale) {
            layouts.doubt();
        }
        if (!call.limits().background()) {
            failures.add(call);
            while (failures.size() > KEPT_FAILURES) {
                failures.poll();
            }
        }
    }

    void observed(Call<?> call) {
        failures.remove(call);
    }

    /** Returns the number of calls in flight. */
    public int outstanding() {
        return outstanding.size();
    }

    /** Returns the bytes of all requests sent, including the frames' headers. */
    public long bytesSent() {
        return sender.bytesSent();
    }

    /** Returns the bytes of all answers received, including the frames' headers. */
    public long bytesReceived() {
        return bytesReceived.sum();
    }
}

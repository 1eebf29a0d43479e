package io.psf.runtime.internal.server.invocation;

import io.psf.api.CallPart;
import io.psf.api.Caller;
import io.psf.api.HandlerInterceptor;
import io.psf.api.Intercepted;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.runtime.internal.call.EventListeners;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.spi.transport.FramePool;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects that all calls on one node share: the memory of answers, the listeners, the interceptors, and the calls
 * that are answered later.
 * Thread-safe.
 */
public final class CallEnvironment {
    private static final Logger LOG = LoggerFactory.getLogger(CallEnvironment.class);

    private final FramePool pool;
    private final Object node;
    private final BooleanSupplier isOnLane;
    private final DeferredCalls deferred = new DeferredCalls();
    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private volatile List<HandlerInterceptor> interceptors = List.of();
    private volatile @Nullable EventListeners<RequestListener> listeners;
    private volatile @Nullable Outgoing outgoing;

    /**
     * Creates the environment of no calls.
     *
     * @param pool provides the memory of answers
     * @param node its text names the node in messages
     * @param isOnLane true if the current thread runs one of the node's lanes
     */
    public CallEnvironment(FramePool pool, Object node, BooleanSupplier isOnLane) {
        this.pool = pool;
        this.node = node;
        this.isOnLane = isOnLane;
    }

    FramePool pool() {
        return pool;
    }

    /** Sets the outgoing calls, so that handlers can make calls. */
    public void setOutgoing(Outgoing outgoing) {
        this.outgoing = outgoing;
    }

    /** Returns the outgoing calls. Fails on a node whose handlers make none. */
    Outgoing outgoing() {
        Outgoing out = outgoing;
        if (out == null) {
            throw new IllegalStateException(
                    "caller of " + node + ": none (expected: asked for by a handler on a server)");
        }
        return out;
    }

    /** Returns a caller of the node itself, for no call that it answers. */
    public Caller caller(Lane lane, Duration limit) {
        return new LaneCaller(this, lane, System.nanoTime() + limit.toNanos(), null);
    }

    /** Returns the condition that the current thread runs one of the node's lanes. */
    public BooleanSupplier isOnLane() {
        return isOnLane;
    }

    /** Returns the calls whose handlers answer later. */
    public DeferredCalls deferred() {
        return deferred;
    }

    /** Adds a listener to the requests from now on. */
    public synchronized void listen(RequestListener listener) {
        listeners = EventListeners.with(listeners, listener);
    }

    /** Returns the listener of a type; if there is none, one is made and added. */
    public synchronized <L extends RequestListener> L listener(Class<L> type, Supplier<? extends L> factory) {
        EventListeners<RequestListener> there = listeners;
        L known = there == null ? null : there.find(type);
        if (known == null) {
            known = factory.get();
            listen(known);
        }
        return known;
    }

    /** True if requests have listeners. */
    boolean isHeard() {
        return listeners != null;
    }

    /** Tells the listeners of a request that waits for its lane. */
    void tellQueued(CallPart request, int bytes, int depth) {
        tell(listener -> listener.queued(request, bytes, depth));
    }

    /** Tells the listeners how long a request has waited, and how long its handler took. */
    void tellHandled(CallPart request, long waitedNanos, long tookNanos) {
        tell(listener -> listener.handled(request, waitedNanos, tookNanos));
    }

    /** Tells the listeners of an answer. */
    void tellAnswered(CallPart request, PsException.Code outcome, int bytes, long nanos) {
        tell(listener -> listener.answered(request, outcome, bytes, nanos));
    }

    private void tell(Consumer<RequestListener> event) {
        EventListeners<RequestListener> listening = listeners;
        if (listening != null) {
            listening.forEach(event);
        }
    }

    /** Sets interceptors around every handler; the first one is the outermost. */
    public void intercept(List<HandlerInterceptor> all) {
        interceptors = List.copyOf(all);
    }

    boolean isIntercepted() {
        return !interceptors.isEmpty();
    }

    /** Calls a handler through the interceptors. */
    Object intercepted(Intercepted call, Supplier<Object> handler) {
        Supplier<Object> next = handler;
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            HandlerInterceptor interceptor = interceptors.get(i);
            Supplier<Object> inner = next;
            next = () -> interceptor.handle(call, inner);
        }
        return next.get();
    }

    /**
     * Logs what a handler threw. The first occurrence is logged with its stack trace, since the caller receives only
     * the message.
     */
    void handlerFailed(String function, Throwable failure) {
        if (logged.add(function + " " + failure.getClass().getName())) {
            LOG.warn("a handler of \"{}\" failed", function, Names.printable(failure));
        } else {
            LOG.debug("a handler of \"{}\" failed", function, Names.printable(failure));
        }
    }
}

package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.runtime.internal.call.PartErrors.Repetition;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls of a client that are in flight: starts them, reports their ends, and awaits them. Thread-safe. */
final class InFlight implements Call.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(InFlight.class);

    private static final int KEPT_FAILURES = 1000;

    private final FramePool pool;
    private final Sender sender;
    private final Outstanding outstanding = new Outstanding();
    private final ConcurrentLinkedQueue<Call<?>> failures = new ConcurrentLinkedQueue<>();
    private final Callbacks callbacks = new Callbacks();
    private volatile @Nullable Layouts layouts;
    /** Null before the first connection. */
    private volatile @Nullable Transport transport;

    private final CallEvents events = new CallEvents();

    /** Null until somebody asks. */
    private volatile @Nullable CallTotals totals;

    InFlight(FramePool pool) {
        this.pool = pool;
        this.sender = new Sender(pool, events, outstanding);
    }

    Outstanding outstanding() {
        return outstanding;
    }

    Sender sender() {
        return sender;
    }

    void setLayouts(Layouts layouts) {
        this.layouts = layouts;
    }

    /** Sets the transport that threads poll while they await calls, unless it is set. */
    synchronized void pollFirst(Transport connected) {
        if (transport == null) {
            transport = connected;
        }
    }

    /** Counts all calls from the first time on. Returns what was counted. */
    synchronized CallTotals count() {
        CallTotals counting = totals;
        if (counting == null) {
            counting = new CallTotals();
            events.listen(counting);
            totals = counting;
        }
        return counting;
    }

    /** Looks at what the threads do that make calls, if somebody asks. */
    void sample() {
        CallTotals counting = totals;
        if (counting != null) {
            counting.sample();
        }
    }

    /** Returns the listeners. */
    CallEvents events() {
        return events;
    }

    /** Sends a call. */
    void start(Call<?> call) {
        if (call.parts().count() == 0) {
            call.answeredByNobody();
            return;
        }
        PsException closed = outstanding.put(call);
        if (closed != null) {
            call.failAtOnce(-1, closed);
        } else {
            events.called(call);
            sender.sendParts(call, null);
        }
    }

    /** Sends a call that repeats another one. */
    private void startAgain(Call<?> call) {
        start(call);
        if (call.isEnded()) { // it may have been cancelled before it was sent
            ended(call, Code.CANCELLED);
        }
    }

    @Override
    public void await(Call<?> call, long until) throws InterruptedException {
        CallTotals counting = totals;
        if (counting == null) {
            poll(call, until);
            return;
        }
        counting.waits(call.info().name());
        try {
            poll(call, until);
        } finally {
            counting.goesOn();
        }
    }

    private void poll(Call<?> call, long until) throws InterruptedException {
        Transport polled = transport;
        if (polled == null) { // a call that was not made by this client's peers
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(1));
        } else {
            polled.await(call, until);
        }
    }

    /** Removes a call that has ended, and tells the nodes that its answers are not needed any more. */
    @Override
    public void ended(Call<?> call, Code outcome) {
        if (!outstanding.remove(call)) {
            return; // it has not been sent
        }
        events.ended(call, outcome);
        CallParts<?> parts = call.parts();
        for (int part = 0; part < parts.count(); part++) {
            Peer peer = parts.peer(part);
            if (!parts.isAnswered(part)) {
                peer.cancel(pool, call.id());
            } else if (!call.info().readOnly() && peer.keepsSession()) {
                peer.done(pool, call.id(), call.isLarge());
            }
        }
    }

    @Override
    public void failed(Call<?> call, PsException failure) {
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

    @Override
    public void observed(Call<?> call) {
        failures.remove(call);
    }

    @Override
    public void callBack(Runnable stages) {
        callbacks.execute(stages);
    }

    @Override
    public @Nullable Repetition repetition(Call<?> call, PartErrors errors) {
        Layouts known = layouts;
        Executor executor = call.limits().repeats();
        return known == null || executor == null
                ? null
                : Retry.of(
                        call,
                        errors,
                        known,
                        executor,
                        new Retry.Sending(this::startAgain, each -> sender.sendParts(each, null)));
    }

    /** Returns the calls in flight that are not in the background. */
    List<Call<?>> foreground() {
        return outstanding.all().stream()
                .filter(call -> !call.limits().background())
                .toList();
    }

    /**
     * Blocks until every call on a tensor that was sent before has ended. Calls in the background are ignored.
     *
     * @param tensor null for every call, on a tensor or not
     * @throws PsException the failure of the first such call that no thread has observed; the others are observed then,
     *     too, and logged if they have another code
     */
    void await(@Nullable TensorId tensor) {
        for (Call<?> call : foreground()) {
            if (concerns(call, tensor)) {
                call.awaitEnd();
            }
        }
        PsException first = null;
        for (Call<?> call : failures) {
            if (concerns(call, tensor) && failures.remove(call) && !call.isObserved()) {
                try {
                    call.await();
                } catch (PsException e) {
                    if (first != null && e.code() != first.code()) {
                        LOG.warn("another call that was not awaited had failed: {}", e.getMessage());
                    }
                    first = first == null ? e : first;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static boolean concerns(Call<?> call, @Nullable TensorId tensor) {
        return tensor == null || call.parts().routing().concerns(tensor);
    }
}

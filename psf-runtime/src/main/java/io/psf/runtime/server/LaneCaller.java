package io.psf.runtime.server;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.api.spi.Function;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The calls that a handler makes for the call that it answers: none outlives that call, and their answers come back on the
 * lane. Thread-safe.
 */
final class LaneCaller implements Caller {
    private final HostNode node;
    private final Outgoing outgoing;
    private final Lane lane;
    private final long deadline;
    private final Set<LanePending<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    /**
     * A caller.
     *
     * @param deadline of the call being answered, as {@link System#nanoTime} counts
     */
    LaneCaller(HostNode node, Outgoing outgoing, Lane lane, long deadline) {
        this.node = node;
        this.outgoing = outgoing;
        this.lane = lane;
        this.deadline = deadline;
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        String name = function.info().name();
        LanePending<R> pending = new LanePending<>(lane, new LaneFuture<>(node, "a call of \"" + name + "\""), name);
        underWay.add(pending);
        pending.whenEnded(() -> underWay.remove(pending));
        long now = System.nanoTime();
        if (over || now - deadline >= 0) {
            pending.sent(null, tooLate());
            return pending;
        }
        outgoing.send(function, request, into, until(options.deadline(), now), options.priority(), lane::execute)
                .whenComplete(pending::sent);
        if (over) {
            pending.cancel();
        }
        return pending;
    }

    private PsException tooLate() {
        return new PsException(
                over ? Code.CANCELLED : Code.TIMED_OUT,
                "the call that this one is made for: " + (over ? "given up" : "its deadline has passed")
                        + " (expected: still to be answered)");
    }

    private long until(@Nullable Duration limit, long now) {
        return limit == null || limit.compareTo(Duration.ofNanos(deadline - now)) >= 0
                ? deadline
                : now + limit.toNanos();
    }

    /** Nobody waits for the call being answered any more. */
    void giveUp() {
        over = true;
        underWay.forEach(LanePending::cancel);
    }
}

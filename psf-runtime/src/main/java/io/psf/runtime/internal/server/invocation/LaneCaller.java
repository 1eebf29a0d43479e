package io.psf.runtime.internal.server.invocation;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.ReadOnly;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.lane.LaneFuture;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the calls of a handler on behalf of the call that it answers. They are cancelled with that call, and their
 * answers are delivered on the lane. Thread-safe.
 */
final class LaneCaller implements FunctionCaller {
    private final Outgoing outgoing;
    private final BooleanSupplier isOnLane;
    private final Lane lane;
    private final long deadline;
    private final @Nullable String reading;
    private final Set<LanePending<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    /**
     * Creates a caller.
     *
     * @param deadline the deadline of the call being answered, as {@link System#nanoTime} counts
     * @param reading the function of the call being answered, if it is read-only; null for another
     */
    LaneCaller(CallEnvironment environment, Lane lane, long deadline, @Nullable String reading) {
        this.outgoing = environment.outgoing();
        this.isOnLane = environment.isOnLane();
        this.reading = reading;
        this.lane = lane;
        this.deadline = deadline;
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        String name = function.info().name();
        LanePending<R> pending =
                new LanePending<>(lane, new LaneFuture<>(isOnLane, "a call of \"" + name + "\""), name);
        underWay.add(pending);
        pending.whenEnded(() -> underWay.remove(pending));
        if (reading != null && !function.info().readOnly()) {
            pending.sent(null, ReadOnly.violated(reading, "call of \"" + name + "\""));
            return pending;
        }
        long now = System.nanoTime();
        if (over || now - deadline >= 0) {
            pending.sent(null, tooLate());
            return pending;
        }
        outgoing.start(function, request, into, until(options.deadline(), now), options.priority(), lane)
                .whenComplete(pending::sent);
        if (over) {
            pending.cancel();
        }
        return pending;
    }

    private PsException tooLate() {
        return new PsException(
                over ? Code.CANCELLED : Code.TIMED_OUT,
                "call of a handler: the call that the handler answers has ended: "
                        + (over ? "cancelled" : "its deadline has passed"));
    }

    private long until(@Nullable Duration limit, long now) {
        return limit == null || limit.compareTo(Duration.ofNanos(deadline - now)) >= 0
                ? deadline
                : now + limit.toNanos();
    }

    /** Cancels the handler's calls: the call being answered was ended. */
    void giveUp() {
        over = true;
        underWay.forEach(LanePending::cancel);
    }
}

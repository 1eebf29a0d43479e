package io.psf.runtime.internal.server.lane;

import io.psf.api.PsException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The order in which calls run. Calls on different lanes have no order. On one lane, of two calls
 * that wait:
 *
 * <ol>
 *   <li>Calls of one worker on one shard run in the order sent, whatever their priorities ({@link #precedes}): a later
 *       one pulls the earlier ones forward.
 *   <li>Otherwise the call of the higher priority runs first, and of one priority the call that arrived first. Calls of
 *       one chain run together ({@link TurnQueue}).
 * </ol>
 *
 * <p>A call whose turn it is runs at once ({@link #begins}), unless
 *
 * <ul>
 *   <li>an earlier call of its worker on its shard has not answered: it waits behind that call;
 *   <li>the call before it in its chain has not answered: it waits for that answer;
 *   <li>its source does not take its answers, or the calls of its source take turns: it waits until the source may run
 *       another call.
 * </ul>
 *
 * <p>A call that waits in one of these ways delays the later calls of its worker on its shard, and no other ones. An
 * object of this class is the order of the calls on one shard. Belongs to the shard's lane, except {@link #precedes}.
 */
public final class CallOrder {
    private final Executor lane;
    private final Map<CallSource, Sequence> sequences = new HashMap<>(4);

    /**
     * Creates the order of no calls.
     *
     * @param lane the shard's lane
     */
    public CallOrder(Executor lane) {
        this.lane = lane;
    }

    /**
     * True if a call of one of two waiting turns must run before a call of the other one, whatever their priorities.
     * The calls of one turn arrive together, so the first ones tell which turn is earlier. On any thread.
     */
    static boolean precedes(Turn earlier, Turn later) {
        OrderedCall first = earlier.first();
        OrderedCall other = later.first();
        return first.source() == other.source()
                && first.arrival() < other.arrival()
                && !Collections.disjoint(earlier.orders(), later.orders());
    }

    /**
     * True if a call whose turn it is runs now. Otherwise {@link OrderedCall#serve} is called later.
     *
     * @param lane the lane of the call, which runs this
     */
    public static boolean begins(OrderedCall call, Executor lane) {
        CallOrder order = call.order();
        if (order != null) {
            return order.sequence(call).begins(call);
        }
        Completion before = call.before();
        if (before != null && !before.letsNextRun()) {
            before.whenAnswered(() -> lane.execute(() -> serveInNoOrder(call, lane)));
            return false;
        }
        return mayRunInNoOrder(call, lane);
    }

    private static boolean mayRunInNoOrder(OrderedCall call, Executor lane) {
        return call.mayRun(() -> {
            if (call.source().isOpen()) {
                lane.execute(() -> serveInNoOrder(call, lane));
            }
        });
    }

    private static void serveInNoOrder(OrderedCall call, Executor lane) {
        if (mayRunInNoOrder(call, lane)) {
            call.serve();
        }
    }

    /** Delays the later calls of the source until {@link #answered}: the call runs, and answers later. */
    public void waitsFor(OrderedCall call) {
        sequence(call).blocking = call;
    }

    /** Continues with the calls behind a call that has answered later. */
    public void answered(OrderedCall call) {
        sequence(call).answered(call);
    }

    private Sequence sequence(OrderedCall call) {
        Sequence known = sequences.get(call.source());
        if (known == null) {
            known = new Sequence(call.source());
            sequences.put(call.source(), known);
        }
        return known;
    }

    /** Removes the state of a source that has ended. */
    public void forget(CallSource source) {
        sequences.remove(source);
    }

    /** Fails the calls that wait behind others. */
    public void refuseWaiting(PsException why) {
        sequences.values().forEach(sequence -> sequence.refuseWaiting(why));
    }

    /** The calls of one source, in the order sent: while one waits for its answer, the later ones wait behind it. */
    private final class Sequence implements Runnable {
        private final CallSource source;
        private final Deque<OrderedCall> waiting = new ArrayDeque<>(1);
        /** The call that has to answer before the next one runs; null for none. */
        private @Nullable OrderedCall blocking;

        Sequence(CallSource source) {
            this.source = source;
        }

        boolean begins(OrderedCall call) {
            if (blocking == null && waiting.isEmpty()) {
                return isNext(call);
            }
            waiting.add(call);
            return false;
        }

        private boolean isNext(OrderedCall call) {
            Completion before = call.before();
            if (before != null && !before.letsNextRun()) {
                blocking = call;
                before.whenAnswered(() -> lane.execute(() -> continueAt(call)));
                return false;
            }
            if (!source.mayRun(this)) {
                waiting.addFirst(call);
                return false;
            }
            return true;
        }

        /** Continues after the previous call in the chain of a call has answered. */
        private void continueAt(OrderedCall call) {
            blocking = null;
            waiting.addFirst(call);
            resume();
        }

        /** Continues after a deferred call has answered. */
        void answered(OrderedCall call) {
            if (blocking == call) {
                blocking = null;
                run(); // later: this may be within another call's handler
            }
        }

        /** Continues as a piece of work of its own. */
        @Override
        public void run() {
            lane.execute(this::resume);
        }

        private void resume() {
            if (!source.isOpen()) {
                forget(source);
                return;
            }
            while (blocking == null && !waiting.isEmpty()) {
                OrderedCall next = waiting.removeFirst();
                if (!isNext(next)) {
                    return;
                }
                next.serve();
            }
        }

        /** Answers the waiting calls with an error. */
        void refuseWaiting(PsException why) {
            List<OrderedCall> all = List.copyOf(waiting);
            waiting.clear();
            all.forEach(call -> call.refuse(why));
        }
    }
}

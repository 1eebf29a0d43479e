package io.psf.builtin.push;

import io.psf.api.DeferredAnswer.Reason;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.builtin.optimizer.GlobalNorm;
import io.psf.builtin.optimizer.Step;
import io.psf.builtin.optimizer.TiledOptimizer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The open rounds of a synchronous shard, the workers that they wait for, and the end of each. Used on the shard's
 * lane.
 */
final class OpenRounds {
    /** The maximum number of open rounds, and so of held pushes of one worker. */
    static final int MOST_OPEN = 4;

    /** The begin of the names of slots of rounds. */
    static final String SLOTS = "round.";
    /** The slot that holds the dense sum of the oldest round; rounds close one at a time. */
    private static final String SLOT = SLOTS + "sum";

    private final Shard shard;
    private final boolean mean;
    /** Null if a round waits for all workers. */
    private final @Nullable RoundQuorum quorum;

    private final PushSteps steps;
    /** The rounds that wait for a worker's push, oldest first. */
    private final Deque<Round> open = new ArrayDeque<>(1);

    private final AwaitedWorkers awaited = new AwaitedWorkers();
    /** Says which workers the oldest round waits for; one object for all pushes. */
    private final Reason waitsFor = Reason.of(this::waitedFor, this::missing);

    private boolean closing;
    /** The tensors whose rounds the last round waits for; null for none. */
    private @Nullable GlobalNorm globalNorm;
    /** The number of rounds that have closed. */
    private long closed;

    OpenRounds(Shard shard, boolean mean, @Nullable RoundQuorum quorum, PushSteps steps) {
        this.shard = shard;
        this.mean = mean;
        this.quorum = quorum;
        this.steps = steps;
    }

    /** Returns the number of rounds that have closed. */
    long closed() {
        return closed;
    }

    /** Returns the number of rounds that wait for pushes. */
    int open() {
        return open.size();
    }

    /** True while a round waits for sums of other slices, or is being answered. */
    boolean isClosing() {
        return closing;
    }

    /** Says which workers the oldest round waits for. */
    Reason waitsFor() {
        return waitsFor;
    }

    /** Learns which workers are present: another worker may get the rank of a worker that has left. */
    void retain(Set<Integer> present) {
        if (quorum != null) {
            quorum.changed(present, closed);
        }
        awaited.retain(present);
        open.forEach(round -> round.retain(present));
    }

    /**
     * Waits no more for a worker's pushes, in open rounds and later ones, until the worker pushes again, or all workers
     * have ended their pushes.
     */
    void end(int worker) {
        if (awaited.end(worker)) {
            close();
        }
    }

    /** Waits no more for a worker's pushes until it begins. */
    void pause(int worker) {
        awaited.pause(worker);
        close();
    }

    /** Waits for workers that begin. */
    void begin(Set<Integer> workers) {
        awaited.begin(workers);
    }

    /** Notes that the next push of workers is not late. */
    void areInTime(Set<Integer> workers) {
        if (quorum != null) {
            quorum.answered(workers, closed);
        }
    }

    /** Begins with the first round. */
    void restart() {
        awaited.clearEnded();
        closed = 0;
        if (quorum != null) {
            quorum.restart();
        }
    }

    /** Fails all pushes. */
    void drop(PsException reason) {
        List<Round> dropped = List.copyOf(open);
        open.clear();
        dropped.forEach(round -> round.drop(reason));
    }

    /**
     * Takes a push into the oldest round that is for its worker and without a push of it.
     *
     * @param update null for a push that is left out
     * @param release releases the memory of its request
     */
    <R> CompletionStage<R> take(int worker, Push<R> push, @Nullable Update update, Runnable release) {
        awaited.pushes(worker);
        for (Round round : open) {
            if (round.hasCancelled(worker)) { // it would count twice
                drop(round, worker);
                break;
            }
        }
        if (quorum != null && quorum.isLate(worker, closed) && quorum.dropsLate()) {
            quorum.answered(Set.of(worker), closed);
            push.complete();
            return push.answered();
        }
        Round round = roundOf(worker);
        if (update != null) {
            round.add(worker, push, update, release);
        } else {
            round.skip(worker, push);
            release.run();
            steps.skipped(worker);
        }
        var unused = push.answered().whenComplete((made, failure) -> takeOut(worker, push.answered(), failure));
        close();
        return push.answered();
    }

    /**
     * Takes a push out of its open round whose call the server has ended, since its deadline has passed or its caller
     * has cancelled it: the worker may push it again. If the sum has the update already, with others, a timeout fails
     * the whole round; a cancelled push stays, unless its worker pushes again. The push of a worker that is gone stays.
     *
     * @param failure null if the push was answered
     */
    void takeOut(int worker, Object answer, @Nullable Throwable failure) {
        if (!(failure instanceof PsException why) || why.code() == PsException.Code.UNAVAILABLE) {
            return;
        }
        Round round = withPush(worker, answer);
        if (round == null) {
            return;
        }
        if (round.remove(worker)) {
            if (round.pushes().isEmpty()) {
                open.remove(round);
                close();
            }
        } else if (why.code() == PsException.Code.CANCELLED) {
            round.cancelled(worker);
        } else {
            drop(round, worker);
        }
    }

    private @Nullable Round withPush(int worker, Object answer) {
        for (Round round : open) {
            if (round.has(worker, answer)) {
                return round;
            }
        }
        return null;
    }

    /** Fails a round that has the update of a push that was not to be applied. */
    private void drop(Round round, int worker) {
        open.remove(round);
        round.drop(lacks(worker));
        close();
    }

    private PsException lacks(int worker) {
        return new PsException(
                PsException.Code.TIMED_OUT,
                "push of worker " + worker + " in round " + (closed + 1)
                        + ": has timed out or was cancelled, after it was added to pushes of others (expected: answered);"
                        + AwaitedWorkers.NOT_APPLIED);
    }

    /** Returns the oldest round that is for the worker and without its push. Opens a new round if there is none. */
    private Round roundOf(int worker) {
        for (Round round : open) {
            if (round.counts(worker) && !round.has(worker)) {
                return round;
            }
        }
        if (open.size() == MOST_OPEN) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "pushes of worker " + worker + " that wait for other workers' pushes: " + (MOST_OPEN + 1)
                            + " (expected: at most " + MOST_OPEN + ")");
        }
        Set<Integer> counted = Workers.of(shard.members());
        counted.add(worker); // which this shard may not know yet
        Round round = new Round(shard, counted, SLOT);
        open.add(round);
        return round;
    }

    /** Closes the rounds that wait for no worker any more. */
    void close() {
        close(shard.members());
    }

    /**
     * Closes rounds as long as every present worker has pushed, or enough of them have. Adds the pushes of the next
     * round that can be added already.
     */
    void close(List<Member> members) {
        if (closing) {
            return; // re-entered: an answer released a worker's next call before the whole round was answered
        }
        closing = true;
        boolean isPending = false;
        try {
            for (Round round = open.peek(); round != null && !isPending; round = open.peek()) {
                int missing = awaited.lowestMissing(round, members);
                if (missing < Integer.MAX_VALUE && (quorum == null || !quorum.isReached(round))) {
                    round.addBelow(missing);
                    return;
                }
                open.remove();
                isPending = close(round);
            }
            if (open.isEmpty()) {
                areInTime(awaited.beginIfAllEnded(members));
            }
        } finally {
            closing = isPending;
        }
    }

    /** Returns the workers that the oldest round waits for. */
    private Set<Integer> missing() {
        Round oldest = open.peek();
        return closing || oldest == null ? Set.of() : awaited.missing(oldest, shard.members());
    }

    private String waitedFor() {
        Round oldest = open.peek();
        if (closing && globalNorm != null) {
            return "global norm of round " + closed
                    + ": waits for the rounds of other tensors (expected: a push to each of the "
                    + globalNorm.members() + " tensors from \"" + globalNorm.first()
                    + "\" on, in each step, before one of the pushes is awaited)";
        }
        if (closing || oldest == null) {
            return "";
        }
        return awaited.describe(oldest, closed + 1, shard.members(), quorum);
    }

    /**
     * Steps the optimizer, then answers the pushes.
     *
     * @return true if that happens later, since the step needs sums over other slices: no other round may close before
     */
    private boolean close(Round round) {
        closed++;
        if (quorum != null) {
            quorum.answered(round.workers(), closed);
        }
        try {
            TiledOptimizer summing = steps.summing();
            globalNorm = summing == null ? null : summing.globalNorm();
            if (round.isWithoutUpdates()) {
                if (globalNorm != null) {
                    return begin(round, null);
                }
            } else if (summing != null) {
                return begin(round, steps.begin(summing, round.total(mean)));
            } else {
                steps.apply(round.total(mean));
            }
        } catch (RuntimeException | Error e) {
            round.fail(e);
            return false;
        }
        round.answer();
        return false;
    }

    private boolean begin(Round round, @Nullable Step step) {
        SlicedStep.Id id = new SlicedStep.Id(SlicedStep.Id.ROUND, closed);
        CompletableFuture<Void> done = steps.run(step, id, round.callers()).toCompletableFuture();
        boolean isPending = !done.isDone();
        var unused = done.whenComplete((nothing, failure) -> {
            if (failure == null) {
                round.answer();
            } else {
                round.fail(failure);
            }
            if (isPending) {
                closing = false;
                close();
            }
        });
        return isPending;
    }

    /** Writes the rounds for another shard of the slice. */
    void write(TakenPushes taken, DataOutputStream out) throws IOException {
        new MovingRounds(quorum, awaited, taken).write(closed, open, out);
    }

    void read(TakenPushes taken, DataInputStream in) throws IOException {
        closed = new MovingRounds(quorum, awaited, taken).read(in, waitsFor, () -> {
            open.add(new Round(shard, new HashSet<>(), SLOT));
            return open.getLast();
        });
    }
}

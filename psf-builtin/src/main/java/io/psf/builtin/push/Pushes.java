package io.psf.builtin.push;

import io.psf.api.CallInfo;
import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.MovingState;
import io.psf.builtin.optimizer.Shapes;
import io.psf.builtin.optimizer.Step;
import io.psf.builtin.optimizer.TiledOptimizer;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the workers' pushes to a shard into steps of its optimizer. Attached to the shard, used on its lane.
 *
 * <p>On an asynchronous tensor, a push steps the optimizer on arrival. On a synchronous tensor, a round takes one push
 * of each present worker, sums them, steps the optimizer once and answers all of them. A worker's second push belongs
 * to the next round. A worker that has left is not waited for, and neither is one that has said that it pushes no more,
 * until it pushes again, or all workers have said so. Its earlier pushes count. A push whose call ends before the round does, by
 * its deadline or by its caller, is taken out of the round. With a
 * {@link RoundQuorum}, a round closes without the slowest workers.
 *
 * <p>A round adds its pushes in the order of the workers' ranks, so the same pushes give the same bits in any order of
 * arrival. The oldest round adds a push as soon as all lower ranks have pushed, and then releases the request's memory.
 * Until then the push stays in its request, uncopied. So a server may hold one push of each worker for each of at most
 * {@value #MOST_OPEN} rounds.
 */
public final class Pushes extends WaitingCalls implements MovingState {
    /** The maximum number of open rounds, and so of held pushes of one worker. */
    private static final int MOST_OPEN = 4;

    private static final String SLOTS = "round.";
    /** The slot that holds the dense sum of the oldest round; rounds close one at a time. */
    private static final String SLOT = SLOTS + "sum";

    private final Shard shard;
    private final boolean synchronous;
    private final boolean mean;
    /** Null if a round waits for all workers. */
    private final @Nullable RoundQuorum quorum;

    private final PushSteps steps;
    /** The rounds that wait for a worker's push, oldest first. */
    private final Deque<Round> open = new ArrayDeque<>(1);

    private final AwaitedWorkers awaited = new AwaitedWorkers();
    /** Says which workers the oldest round waits for; one object for all pushes. */
    private final Supplier<String> waitsFor = this::waitsFor;
    /** The pushes that an earlier shard of this slice took; none in general. */
    private final TakenPushes taken = new TakenPushes();

    private boolean closing;
    /** The number of rounds that have closed. */
    private long closed;

    private Pushes(Shard shard, boolean synchronous, boolean mean, @Nullable RoundQuorum quorum) {
        super(shard::members);
        this.shard = shard;
        this.synchronous = synchronous;
        this.mean = mean;
        this.quorum = quorum;
        this.steps = new PushSteps(shard, quorum != null);
    }

    /** True if the slot holds the sum of a round, which is not part of the tensor's state: it is neither saved nor loaded. */
    public static boolean ownsSlot(String name) {
        return name.startsWith(SLOTS);
    }

    /** Returns the attachment of a shard. Without an earlier {@link #synchronize}, pushes are applied on arrival. */
    public static Pushes of(Shard shard) {
        return shard.attachment(Pushes.class, () -> new Pushes(shard, false, false, null));
    }

    /**
     * Makes pushes to a new shard synchronous, before the first push.
     *
     * @param mean true if a round applies the mean of its pushes, false if it applies their sum
     * @param quorum the number of pushes at which a round closes; 0 for a push of each worker
     * @param dropsLate true if a late push is dropped, false if it is added to the open round
     */
    public static void synchronize(Shard shard, boolean mean, int quorum, boolean dropsLate) {
        Pushes pushes = shard.attachment(
                Pushes.class,
                () -> new Pushes(
                        shard,
                        true,
                        mean,
                        quorum == 0 ? null : new RoundQuorum(quorum, dropsLate, Workers.of(shard.members()))));
        if (!pushes.synchronous
                || pushes.mean != mean
                || (pushes.quorum == null ? quorum != 0 : !pushes.quorum.isAs(quorum, dropsLate))) {
            throw new IllegalStateException("synchronize: after the first push (expected: on a new shard)");
        }
        var unused = pushes.steps.summing();
    }

    /** Returns the attachment of a shard; none before the first push to an asynchronous tensor. */
    static Optional<Pushes> find(Shard shard) {
        return shard.findAttachment(Pushes.class, () -> new Pushes(shard, false, false, null));
    }

    /** True if pushes are applied in rounds, false if each is applied on arrival. */
    public boolean isSynchronous() {
        return synchronous;
    }

    /** Returns the number of rounds that have closed. */
    long closed() {
        return closed;
    }

    /** Returns the number of late pushes by worker. */
    Map<Integer, Long> late() {
        return quorum == null ? Map.of() : quorum.late();
    }

    /**
     * Takes an update of every row. Does not wait for the round.
     *
     * @param update [rows, width] float32; borrowed until it is in the values
     * @param answer makes the answer once the update is in the values; may read only those arrays of the request that
     *     are {@link #kept}
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the update has another length, with
     *     {@code RESOURCE_EXHAUSTED} if too many pushes of the worker wait for other workers' pushes
     */
    public <R> CompletionStage<R> dense(FloatArray update, Supplier<R> answer) {
        Shapes.requireDense(shard, update);
        return take(new Update(null, update), answer);
    }

    /**
     * Takes an update of some rows. Does not wait for the round.
     *
     * @param keys [n] int64, global keys, each once; borrowed until the update is in the values
     * @param update [n, width] float32; borrowed until it is in the values
     * @param answer makes the answer once the update is in the values; may read only those arrays of the request that
     *     are {@link #kept}
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the update has another length, with
     *     {@code OUT_OF_RANGE} if the shard does not own a key, with {@code RESOURCE_EXHAUSTED} if too many pushes of
     *     the worker wait for other workers' pushes
     */
    public <R> CompletionStage<R> sparse(LongArray keys, FloatArray update, Supplier<R> answer) {
        Shapes.requireSparse(shard, keys, update);
        if (synchronous) {
            var unused = shard.find(keys, new int[keys.length()]); // an invalid key would fail the whole round
        }
        return take(new Update(keys, update), answer);
    }

    /**
     * Returns an array of the request that the answer may read. On a synchronous tensor it is a copy, since the
     * request's memory is released before the round closes.
     */
    public LongArray kept(LongArray ofRequest) {
        return synchronous ? LongArray.wrap(ofRequest.toArray()) : ofRequest;
    }

    /** Like {@link #kept(LongArray)}. */
    public IntArray kept(IntArray ofRequest) {
        return synchronous ? IntArray.wrap(ofRequest.toArray()) : ofRequest;
    }

    @Override
    protected void changed(List<Member> members, Set<Integer> present) {
        if (synchronous) { // another worker may get the rank of one that has left
            if (quorum != null) {
                quorum.changed(present, closed);
            }
            awaited.retain(present);
            open.forEach(round -> round.retain(present));
        }
        if (!taken.isEmpty()) {
            taken.retain(members);
        }
        closeRounds(members);
    }

    /**
     * Waits no more for a worker's pushes, in open rounds and later ones, until the worker pushes again, or all workers have
     * ended their pushes.
     */
    void end(int worker) {
        if (synchronous && awaited.end(worker)) {
            closeRounds(shard.members());
        }
    }

    @Override
    public void pause(int worker) {
        awaited.pause(worker);
        closeRounds(shard.members());
    }

    @Override
    public void resume(Set<Integer> workers) {
        awaited.begin(workers);
        areInTime(workers);
    }

    private void areInTime(Set<Integer> workers) {
        if (quorum != null) {
            quorum.answered(workers, closed);
        }
    }

    /** {@inheritDoc} After a load there are no open rounds, and the next one that closes is the first. */
    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        awaited.begin(workers);
        if (loaded) {
            drop(dropped("push to tensor \"" + shard.spec().id() + "\""));
            awaited.clearEnded();
            taken.clear();
            closed = 0;
            if (quorum != null) {
                quorum.restart();
            }
        }
    }

    @Override
    protected void drop(PsException reason) {
        List<Round> dropped = List.copyOf(open);
        open.clear();
        dropped.forEach(round -> round.drop(reason));
    }

    private <R> CompletionStage<R> take(Update update, Supplier<R> answer) {
        TiledOptimizer summing = steps.summing();
        if (!synchronous) {
            if (summing != null) {
                CallInfo call = shard.call();
                SlicedStep.Id id = new SlicedStep.Id(steps.requireWorker(call.worker()), call.call());
                Step step = steps.begin(summing, update);
                return steps.run(step, id, List.of(shard.caller())).thenApply(done -> answer.get());
            }
            steps.apply(update);
            return CompletableFuture.completedFuture(answer.get());
        }
        CallInfo call = shard.call();
        int worker = Workers.rank(call, "push to a synchronous tensor");
        requireNotAbandoned();
        DeferredAnswer<Object> before = taken.isEmpty() ? null : taken.remove(worker, call.call());
        if (before != null) { // its update is in a round
            shard.requestRelease().run();
            closeRounds(shard.members()); // those that are missing in its round may have left, unseen by this shard
            CompletableFuture<R> again = before.thenApply(closed -> answer.get());
            var unused = again.whenComplete((made, failure) -> takeOut(worker, before, failure));
            return again;
        }
        Push<R> push = new Push<>(call.call(), answer, summing == null ? null : shard.caller(), waitsFor);
        awaited.pushes(worker);
        for (Round round : open) {
            if (round.hasCancelled(worker)) { // it would count twice
                drop(round, worker);
                break;
            }
        }
        if (quorum != null && quorum.isLate(worker, closed) && quorum.dropsLate()) {
            quorum.answered(Set.of(worker), closed);
            return CompletableFuture.completedFuture(answer.get());
        }
        roundOf(worker).add(worker, push, update, shard.requestRelease());
        var unused = push.answered().whenComplete((made, failure) -> takeOut(worker, push.answered(), failure));
        closeRounds(shard.members());
        return push.answered();
    }

    /**
     * Takes a push out of its open round whose call the server has ended, since its deadline has passed or its caller has
     * cancelled it: the worker may push it again. If the sum has the update already, with others, a timeout fails the whole
     * round; a cancelled push stays, unless its worker pushes again. The push of a worker that is gone stays.
     *
     * @param failure null if the push was answered
     */
    private void takeOut(int worker, Object answer, @Nullable Throwable failure) {
        if (!(failure instanceof PsException why) || why.code() == PsException.Code.UNAVAILABLE) {
            return;
        }
        for (Round round : open) {
            if (round.has(worker, answer)) {
                if (!round.remove(worker)) {
                    if (why.code() == PsException.Code.CANCELLED) {
                        round.cancelled(worker);
                    } else {
                        drop(round, worker);
                    }
                } else if (round.pushes().isEmpty()) {
                    open.remove(round);
                    closeRounds(shard.members());
                }
                return;
            }
        }
    }

    /** Fails a round that has the update of a push that was not to be applied. */
    private void drop(Round round, int worker) {
        open.remove(round);
        round.drop(lacks(worker));
        closeRounds(shard.members());
    }

    private PsException lacks(int worker) {
        return new PsException(
                PsException.Code.TIMED_OUT,
                "push of worker " + worker + " in round " + (closed + 1)
                        + ": has timed out or was cancelled, after it was added to those of others (expected: answered);"
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

    /**
     * Closes rounds as long as every present worker has pushed, or enough of them have. Adds the pushes of the next round
     * that can be added already.
     */
    private void closeRounds(List<Member> members) {
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

    private String waitsFor() {
        Round oldest = open.peek();
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
            Update total = round.total(mean);
            TiledOptimizer summing = steps.summing();
            if (summing != null) {
                return begin(round, steps.begin(summing, total));
            }
            steps.apply(total);
        } catch (RuntimeException | Error e) {
            round.fail(e);
            return false;
        }
        round.answer();
        return false;
    }

    private boolean begin(Round round, Step step) {
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
                closeRounds(shard.members());
            }
        });
        return isPending;
    }

    /**
     * Checks that no step of the optimizer waits for sums of other slices.
     *
     * @throws PsException with {@code UNAVAILABLE} if one does
     */
    public static void requireNoStep(Shard shard) {
        Pushes pushes = find(shard).orElse(null);
        if (pushes != null && (pushes.closing || pushes.steps.isRunning())) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "step of tensor \"" + shard.spec().id()
                            + "\": is waiting for sums of other slices (expected: a call between two steps; try"
                            + " again)");
        }
    }

    /** Returns true if there may be open rounds: checkpoints do not have them. */
    @Override
    public boolean moves() {
        return synchronous;
    }

    @Override
    public void saveMoving(DataOutputStream out) throws IOException {
        new MovingRounds(quorum, awaited, taken).write(closed, open, out);
    }

    /** {@inheritDoc} A push in them is answered when its worker sends it again, and its update is not added again. */
    @Override
    public void loadMoving(DataInputStream in) throws IOException {
        closed = new MovingRounds(quorum, awaited, taken).read(in, waitsFor, () -> {
            open.add(new Round(shard, new HashSet<>(), SLOT));
            return open.getLast();
        });
    }
}

package io.psf.builtin.push;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.Metered;
import io.psf.api.Metrics;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the workers' pushes to a shard into steps of its optimizer. Attached to the shard, used on its lane.
 *
 * <p>On an asynchronous tensor, a push steps the optimizer on arrival. On a synchronous tensor, a round takes one push
 * of each present worker, sums them, steps the optimizer once and answers all of them. A worker's second push belongs
 * to the next round. A worker that has left is not waited for. A worker that has said that it pushes no more is not
 * waited for until it pushes again, or all workers have said so. Its earlier pushes count. A push whose call ends
 * before the round does, by its deadline or by its caller, is taken out of the round. With a {@link RoundQuorum}, a
 * round closes without the slowest workers.
 *
 * <p>A round adds its pushes in the order of the workers' ranks, so the same pushes give the same bits in any order of
 * arrival. The oldest round adds a push as soon as all lower ranks have pushed, and then releases the request's memory.
 * Until then the push stays in its request, uncopied. So a server may hold one push of each worker for each of at most
 * {@value OpenRounds#MOST_OPEN} rounds.
 */
public final class Pushes extends WaitingCalls implements Metered, MovingState {
    private final Shard shard;
    private final boolean synchronous;
    private final boolean mean;
    /** Null if a round waits for all workers. */
    private final @Nullable RoundQuorum quorum;

    private final PushSteps steps;
    private final OpenRounds rounds;
    /** The pushes that an earlier shard of this slice took; none in general. */
    private final TakenPushes taken = new TakenPushes();

    private Pushes(Shard shard, boolean synchronous, boolean mean, @Nullable RoundQuorum quorum) {
        super(shard::members);
        this.shard = shard;
        this.synchronous = synchronous;
        this.mean = mean;
        this.quorum = quorum;
        this.steps = new PushSteps(shard, synchronous, quorum != null);
        this.rounds = new OpenRounds(shard, mean, quorum, steps);
    }

    /**
     * True if the slot holds the sum of a round, which is not part of the tensor's state: it is neither saved nor
     * loaded.
     */
    public static boolean ownsSlot(String name) {
        return name.startsWith(OpenRounds.SLOTS);
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
        return rounds.closed();
    }

    @Override
    public void measure(Metrics to) {
        if (synchronous) {
            to.highest("psf.rounds.closed", "rounds", "rounds that have closed, on the slice with the most", closed());
            to.gauge("psf.rounds.open", "rounds", "rounds that wait for pushes, summed over the slices", rounds.open());
        }
        late().forEach((worker, count) -> to.with("worker", worker)
                .highest("psf.pushes.late", "pushes", "late pushes, on the slice with the most", count));
        skipped()
                .forEach((worker, count) -> to.with("worker", worker)
                        .highest("psf.pushes.skipped", "pushes", "pushes left out as not finite, likewise", count));
    }

    /** Returns the number of late pushes by worker. */
    Map<Integer, Long> late() {
        return quorum == null ? Map.of() : quorum.late();
    }

    /** Returns the number of pushes that were left out, by worker or client. */
    Map<Integer, Long> skipped() {
        return steps.skipped();
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
        rounds.retain(present);
        if (!taken.isEmpty()) {
            taken.retain(members);
        }
        rounds.close(members);
    }

    /** Waits no more for a worker's pushes, as {@link OpenRounds#end} says. */
    void end(int worker) {
        if (synchronous) {
            rounds.end(worker);
        }
    }

    @Override
    public void pause(int worker) {
        rounds.pause(worker);
    }

    @Override
    public void resume(Set<Integer> workers) {
        rounds.begin(workers);
        rounds.areInTime(workers);
    }

    /** {@inheritDoc} After a load there are no open rounds, and the next round that closes is the first. */
    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        rounds.begin(workers);
        if (loaded) {
            drop(dropped("push to tensor \"" + shard.spec().id() + "\""));
            taken.clear();
            rounds.restart();
        }
    }

    @Override
    protected void drop(PsException reason) {
        rounds.drop(reason);
    }

    private <R> CompletionStage<R> take(Update update, Supplier<R> answer) {
        if (steps.skipsNonFinite()) {
            return takeIfFinite(update, answer);
        }
        TiledOptimizer summing = steps.summing();
        if (!synchronous && summing == null) {
            steps.apply(update);
            return CompletableFuture.completedFuture(answer.get());
        }
        return take(arrived(summing), update, answer);
    }

    /**
     * A push that has arrived.
     *
     * @param caller calls other slices on behalf of it; null if none is called
     * @param release releases the memory of its request
     */
    private record Arrived(CallInfo call, @Nullable Caller caller, Runnable release) {}

    private Arrived arrived(@Nullable TiledOptimizer summing) {
        return new Arrived(
                shard.call(), summing == null ? null : shard.caller(), synchronous ? shard.requestRelease() : () -> {});
    }

    /** Takes a push, unless it has an element that is not finite, on any slice. */
    private <R> CompletionStage<R> takeIfFinite(Update update, Supplier<R> answer) {
        Arrived push = arrived(steps.summing());
        Caller caller = push.caller();
        if (caller == null) {
            return take(push, update.isFinite() ? update : null, answer);
        }
        DeferredAnswer<R> whole = new DeferredAnswer<>(rounds.waitsFor());
        var unused = steps.skips(update, push.call(), caller)
                .thenCompose(skips -> {
                    CompletableFuture<R> taken = whole.isDone()
                            ? whole
                            : take(push, skips ? null : update, answer).toCompletableFuture();
                    var unusedEnd = whole.whenComplete((made, failure) -> {
                        if (failure != null) { // the server has ended the call
                            taken.completeExceptionally(failure);
                        }
                    });
                    return taken;
                })
                .whenComplete((made, failure) -> {
                    if (failure == null) {
                        whole.complete(made);
                    } else {
                        whole.completeExceptionally(
                                failure instanceof CompletionException ? failure.getCause() : failure);
                    }
                });
        return whole;
    }

    /**
     * Takes a push.
     *
     * @param update null for a push that is left out
     */
    private <R> CompletionStage<R> take(Arrived arrived, @Nullable Update update, Supplier<R> answer) {
        CallInfo call = arrived.call();
        if (!synchronous) {
            if (update == null) {
                steps.skipped(call.worker());
                return CompletableFuture.completedFuture(answer.get());
            }
            TiledOptimizer summing = steps.summing();
            Caller caller = arrived.caller();
            if (summing == null || caller == null) {
                steps.apply(update);
                return CompletableFuture.completedFuture(answer.get());
            }
            SlicedStep.Id id = new SlicedStep.Id(steps.requireWorker(call.worker()), call.call());
            Step step = steps.begin(summing, update);
            return steps.run(step, id, List.of(caller)).thenApply(done -> answer.get());
        }
        int worker = Workers.rank(call, "push to a synchronous tensor");
        requireNotAbandoned();
        DeferredAnswer<Object> before = taken.isEmpty() ? null : taken.remove(worker, call.call());
        if (before != null) { // its update is in a round
            arrived.release().run();
            rounds.close(); // workers that are missing in its round may have left, unseen by this shard
            CompletableFuture<R> again = before.thenApply(closed -> answer.get());
            var unused = again.whenComplete((made, failure) -> rounds.takeOut(worker, before, failure));
            return again;
        }
        Push<R> push = new Push<>(call.call(), answer, arrived.caller(), rounds.waitsFor());
        return rounds.take(worker, push, update, arrived.release());
    }

    /**
     * Checks that no step of the optimizer waits for sums of other slices.
     *
     * @throws PsException with {@code UNAVAILABLE} if one does
     */
    public static void requireNoStep(Shard shard) {
        Pushes pushes = find(shard).orElse(null);
        if (pushes != null && (pushes.rounds.isClosing() || pushes.steps.isRunning())) {
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
        rounds.write(taken, out);
    }

    /** {@inheritDoc} A push in them is answered when its worker sends it again, and its update is not added again. */
    @Override
    public void loadMoving(DataInputStream in) throws IOException {
        rounds.read(taken, in);
    }
}

package io.psf.builtin.sync;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Shapes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * How the workers' pushes on a shard become steps of its optimizer. Beside each shard, used on its lane.
 *
 * <p>A push steps the optimizer when it arrives, unless the tensor is synchronous: then a round takes one push of each
 * worker that is there, sums them, steps the optimizer once and answers them all. A worker's second push is for the
 * next round. A worker that leaves is not waited for; what it pushed before counts.
 *
 * <p>Until a round closes it keeps the pushes themselves, which are borrowed until they are answered, and sums them in
 * the order of the workers' ranks: the same pushes give the same values to the bit, in whatever order they arrive.
 */
public final class Pushes implements MemberListener {
    private final Shard shard;
    private final boolean synchronous;
    private final boolean mean;
    /** What each worker has pushed and no round has taken yet, by rank. */
    private final Map<Integer, Deque<Push<?>>> waiting = new TreeMap<>();

    private boolean closing;

    private Pushes(Shard shard, boolean synchronous, boolean mean) {
        this.shard = shard;
        this.synchronous = synchronous;
        this.mean = mean;
    }

    /** What stands beside a shard: each push at once, unless {@link #synchronize} came first. */
    public static Pushes of(Shard shard) {
        return shard.attachment(Pushes.class, () -> new Pushes(shard, false, false));
    }

    /**
     * Makes the pushes on a new shard synchronous, before the first of them.
     *
     * @param mean whether a round applies the mean of its pushes, and not their sum
     */
    public static void synchronize(Shard shard, boolean mean) {
        Pushes pushes = shard.attachment(Pushes.class, () -> new Pushes(shard, true, mean));
        if (!pushes.synchronous || pushes.mean != mean) {
            throw new IllegalStateException("synchronize: after the first push (expected: on a new shard)");
        }
    }

    /**
     * Takes an update of every row.
     *
     * @param update [rows, width] float32; borrowed until the answer
     * @param answer makes the answer once the update is in the values
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the update has another length
     */
    public <R> CompletionStage<R> dense(FloatArray update, Supplier<R> answer) {
        Shapes.requireDense(shard, update);
        return take(new Update(null, update), answer);
    }

    /**
     * Takes an update of some rows.
     *
     * @param keys [n] int64, global keys, each once; borrowed until the answer
     * @param update [n, width] float32; borrowed until the answer
     * @param answer makes the answer once the update is in the values
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the update has another length, with
     *     {@code OUT_OF_RANGE} if the shard does not own a key
     */
    public <R> CompletionStage<R> sparse(LongArray keys, FloatArray update, Supplier<R> answer) {
        Shapes.requireSparse(shard, keys, update);
        return take(new Update(keys, update), answer);
    }

    @Override
    public void membersChanged(List<Member> members) {
        closeRounds(members);
    }

    private <R> CompletionStage<R> take(Update update, Supplier<R> answer) {
        if (!synchronous) {
            update.applyTo(shard);
            return CompletableFuture.completedFuture(answer.get());
        }
        Push<R> push = new Push<>(update, answer);
        waiting.computeIfAbsent(shard.call().worker(), rank -> new ArrayDeque<>())
                .add(push);
        closeRounds(shard.members());
        return push.answered();
    }

    /** Closes rounds as long as every worker that is there has pushed. */
    private void closeRounds(List<Member> members) {
        if (closing) {
            return; // an answer let a worker's next call in, before all of this round were answered
        }
        closing = true;
        try {
            while (!waiting.isEmpty() && allPushed(members)) {
                List<Push<?>> round = new ArrayList<>();
                waiting.values().forEach(pushes -> round.add(pushes.remove()));
                waiting.values().removeIf(Deque::isEmpty);
                close(round);
            }
        } finally {
            closing = false;
        }
    }

    private boolean allPushed(List<Member> members) {
        for (Member member : members) {
            if (member.role() == Role.WORKER && !waiting.containsKey(member.rank())) {
                return false;
            }
        }
        return true;
    }

    private void close(List<Push<?>> round) {
        try {
            List<Update> updates = new ArrayList<>();
            round.forEach(push -> updates.add(push.update()));
            Sum.of(shard, updates, mean ? 1f / round.size() : 1).applyTo(shard);
        } catch (RuntimeException | Error e) {
            round.forEach(push -> push.answered().completeExceptionally(e));
            return;
        }
        round.forEach(Push::complete);
    }
}

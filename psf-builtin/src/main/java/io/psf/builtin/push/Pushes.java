package io.psf.builtin.push;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Shapes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * How the workers' pushes on a shard become steps of its optimizer. Beside each shard, used on its lane.
 *
 * <p>A push steps the optimizer when it arrives, unless the tensor is synchronous: then a round takes one push of each
 * worker that is there, sums them, steps the optimizer once and answers them all. A worker's second push is for the
 * next round. A worker that leaves is not waited for; what it pushed before counts, as does a push whose caller has
 * given up waiting.
 *
 * <p>A round adds its pushes up in the order of the workers' ranks: the same pushes come to the same bits, whichever came
 * first. The oldest round adds a push as soon as all lower ranks have pushed, and gives its request's memory back.
 * Until then a push lies in its request, uncopied; so a server may hold one push of each worker, of at most
 * {@value #MOST_OPEN} rounds.
 */
public final class Pushes implements MemberListener {
    /** How many rounds may be open, and so how many pushes of one worker are held. */
    private static final int MOST_OPEN = 4;

    private static final String SLOTS = "round.";

    /** Holds the sum of a round while it is applied; rounds close one after the other. */
    private static final String SLOT = SLOTS + "sum";

    private final Shard shard;
    private final boolean synchronous;
    private final boolean mean;
    /** The rounds that wait for somebody's push, oldest first. */
    private final Deque<Round> open = new ArrayDeque<>(1);

    private boolean closing;

    private Pushes(Shard shard, boolean synchronous, boolean mean) {
        this.shard = shard;
        this.synchronous = synchronous;
        this.mean = mean;
    }

    /** Whether a slot holds the sum of a round, which is no state of the tensor: it is neither saved nor loaded. */
    public static boolean ownsSlot(String name) {
        return name.startsWith(SLOTS);
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
     * @param update [rows, width] float32; borrowed until it is in the values
     * @param answer makes the answer once the update is in the values; reads of the request what is {@link #kept} alone
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the update has another length, with
     *     {@code RESOURCE_EXHAUSTED} if too many pushes of the worker wait for the others'
     */
    public <R> CompletionStage<R> dense(FloatArray update, Supplier<R> answer) {
        Shapes.requireDense(shard, update);
        return take(new Update(null, update), answer);
    }

    /**
     * Takes an update of some rows.
     *
     * @param keys [n] int64, global keys, each once; borrowed until they are in the values
     * @param update [n, width] float32; borrowed until it is in the values
     * @param answer makes the answer once the update is in the values; reads of the request what is {@link #kept} alone
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the update has another length, with
     *     {@code OUT_OF_RANGE} if the shard does not own a key, with {@code RESOURCE_EXHAUSTED} if too many pushes of the
     *     worker wait for the others'
     */
    public <R> CompletionStage<R> sparse(LongArray keys, FloatArray update, Supplier<R> answer) {
        Shapes.requireSparse(shard, keys, update);
        if (synchronous) {
            var unused = shard.rows(keys); // a wrong one would fail the whole round; an optimizer looks for itself
        }
        return take(new Update(keys, update), answer);
    }

    /**
     * An array of the request for the answer to read. It is a copy if the tensor is synchronous, since the memory of the
     * request is given back before a round closes.
     */
    public LongArray kept(LongArray ofRequest) {
        return synchronous ? LongArray.wrap(ofRequest.toArray()) : ofRequest;
    }

    /** As {@link #kept(LongArray)}. */
    public IntArray kept(IntArray ofRequest) {
        return synchronous ? IntArray.wrap(ofRequest.toArray()) : ofRequest;
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
        Push<R> push = new Push<>(answer);
        int worker = shard.call().worker();
        roundOf(worker).add(worker, push, update, shard.requestRelease());
        closeRounds(shard.members());
        return push.answered();
    }

    /** The oldest round that the worker has not pushed in yet. */
    private Round roundOf(int worker) {
        for (Round round : open) {
            if (!round.has(worker)) {
                return round;
            }
        }
        if (open.size() == MOST_OPEN) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "pushes of worker " + worker + " that wait for other workers' pushes: " + (MOST_OPEN + 1)
                            + " (expected: at most " + MOST_OPEN + ")");
        }
        Round round = new Round(shard, SLOT);
        open.add(round);
        return round;
    }

    /** Closes rounds as long as every worker that is there has pushed, and adds up what it can of the next one. */
    private void closeRounds(List<Member> members) {
        if (closing) {
            return; // an answer let a worker's next call in, before all of this round were answered
        }
        closing = true;
        try {
            for (Round round = open.peek(); round != null; round = open.peek()) {
                int missing = lowestMissing(round, members);
                if (missing < Integer.MAX_VALUE) {
                    round.addBelow(missing);
                    return;
                }
                open.remove();
                close(round);
            }
        } finally {
            closing = false;
        }
    }

    /** The lowest rank of those that are there and have not pushed in a round; the highest number if all have. */
    private static int lowestMissing(Round round, List<Member> members) {
        int lowest = Integer.MAX_VALUE;
        for (Member member : members) {
            if (member.role() == Role.WORKER && !round.has(member.rank())) {
                lowest = Math.min(lowest, member.rank());
            }
        }
        return lowest;
    }

    /**
     * Steps the optimizer and answers, the last push last: its handler is still running, so its answer goes out after
     * the others', and they may have let calls in that use the memory for answers.
     */
    private void close(Round round) {
        try {
            round.total(mean).applyTo(shard);
        } catch (RuntimeException | Error e) {
            round.pushes().forEach(push -> push.answered().completeExceptionally(e));
            return;
        }
        round.pushes().forEach(Push::complete);
    }
}

package io.psf.builtin.push;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.DoubleArray;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

/** The sums over slices that wait for some of them. Attached to the coordinating shard, used on its lane. */
final class SliceSums extends WaitingCalls {
    /** The time after which a sum is dropped that lacks a slice: the calls have failed long before. */
    private static final Duration LONGEST = Duration.ofMinutes(30);

    /** The number of complete sums that are kept for slices whose call is repeated. */
    private static final int KEPT = 256;

    /** The most sums of one step: an optimizer has a few. */
    static final int MOST_SUMS = 64;

    /** As many as a tensor has at most. */
    private static final int MOST_SLICES = 1 << 16;

    /** The most sums that wait for slices. */
    static final int MOST_OPEN = 4096;

    private final Map<Key, Gathering> open = new HashMap<>();
    private final Map<Key, double[]> complete = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, double[]> eldest) {
            return size() > KEPT;
        }
    };

    private record Key(int worker, long push, int stage) {}

    /**
     * The parts of one sum.
     *
     * @param parts the parts, by slice
     * @param waiting the pending answers
     * @param expiry ends the sum if it does not become complete
     */
    private record Gathering(
            int slices,
            TreeMap<Integer, double[]> parts,
            List<CompletableFuture<SumOverSlices.Response>> waiting,
            List<Future<?>> expiry) {
        Gathering(int slices) {
            this(slices, new TreeMap<>(), new ArrayList<>(), new ArrayList<>(1));
        }

        void require(SumOverSlices.Request request) {
            int sums =
                    parts.isEmpty() ? request.part().length : parts.firstEntry().getValue().length;
            if (slices != request.slices() || request.part().length != sums) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "part of slice " + request.slice() + ": " + request.part().length + " sums over "
                                + request.slices() + " slices (expected: " + sums + " over " + slices
                                + ", as the other slices have sent)");
            }
        }

        /** Adds an answer. Those of calls that have ended, and came again, are dropped now and then. */
        void add(CompletableFuture<SumOverSlices.Response> answer) {
            if (waiting.size() >= 2 * slices) {
                waiting.removeIf(CompletableFuture::isDone);
            }
            waiting.add(answer);
        }

        /** True if no slice waits for the sums any more: all calls have timed out or were cancelled. */
        boolean isGivenUp() {
            return waiting.stream().allMatch(CompletableFuture::isDone);
        }

        /** Returns the sums over all slices, in their order. */
        double[] totals() {
            double[] totals = new double[parts.firstEntry().getValue().length];
            for (double[] part : parts.values()) {
                for (int i = 0; i < totals.length; i++) {
                    totals[i] += part[i];
                }
            }
            return totals;
        }
    }

    private final Shard shard;

    private SliceSums(Shard shard) {
        super(shard::members);
        this.shard = shard;
    }

    static SliceSums of(Shard shard) {
        return shard.attachment(SliceSums.class, () -> new SliceSums(shard));
    }

    CompletionStage<SumOverSlices.Response> add(SumOverSlices.Request request) {
        requireNotAbandoned();
        Key key = new Key(request.worker(), request.push(), request.stage());
        double[] known = complete.get(key);
        if (known != null) {
            return CompletableFuture.completedFuture(answer(known));
        }
        if (request.slices() < 1 || request.slice() < 0 || request.slice() >= request.slices()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "slice: " + request.slice() + " of " + request.slices() + " (expected: 0 to slices - 1)");
        }
        if (request.part().length > MOST_SUMS || request.slices() > MOST_SLICES) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "sums: " + request.part().length + " over " + request.slices() + " slices (expected: at most "
                            + MOST_SUMS + " over at most " + MOST_SLICES + ")");
        }
        Gathering gathering = open.get(key);
        if (gathering == null) {
            requireRoom();
            Gathering made = new Gathering(request.slices());
            open.put(key, made);
            made.expiry().add(shard.after(LONGEST, () -> open.remove(key, made)));
            gathering = made;
        }
        gathering.require(request);
        gathering.parts().put(request.slice(), request.part().clone());
        CompletableFuture<SumOverSlices.Response> answer = new CompletableFuture<>();
        gathering.add(answer);
        if (gathering.parts().size() == gathering.slices()) {
            double[] totals = gathering.totals();
            open.remove(key);
            gathering.expiry().forEach(each -> each.cancel(false));
            complete.put(key, totals);
            gathering.waiting().forEach(each -> each.complete(answer(totals)));
        }
        return answer;
    }

    /** Checks that one more sum may be open. Those whose callers have all given up make way for it. */
    private void requireRoom() {
        if (open.size() >= MOST_OPEN) {
            open.values().removeIf(each -> {
                boolean isOver = each.isGivenUp();
                if (isOver) {
                    each.expiry().forEach(expiry -> expiry.cancel(false));
                }
                return isOver;
            });
        }
        AtMost.requireOneMore("open sums over slices", open.size(), MOST_OPEN, "await some of the pushes");
    }

    /** {@inheritDoc} After a load, the rounds are numbered from the beginning. */
    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        if (loaded) {
            drop(dropped("sum over slices"));
            complete.clear();
        }
    }

    @Override
    protected void changed(List<Member> members, Set<Integer> present) {}

    @Override
    protected void drop(PsException reason) {
        List<Gathering> dropped = List.copyOf(open.values());
        open.clear();
        for (Gathering each : dropped) {
            each.expiry().forEach(expiry -> expiry.cancel(false));
            each.waiting().forEach(answer -> answer.completeExceptionally(reason));
        }
    }

    private static SumOverSlices.Response answer(double[] totals) {
        return new SumOverSlices.Response(DoubleArray.wrap(totals));
    }
}

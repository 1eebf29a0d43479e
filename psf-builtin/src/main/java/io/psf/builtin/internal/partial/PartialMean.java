package io.psf.builtin.internal.partial;

import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.array.FloatArray;
import io.psf.builtin.push.DenseSums;
import io.psf.builtin.push.Workers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The values that the partners have sent so far, and the partners that are missing. The values stay in the partners'
 * requests, uncopied, until the last partner has sent its own. Then they are summed in the order of the ranks. Used on
 * the shard's lane.
 */
final class PartialMean {
    /** The most partners: a set of them takes more memory than their request. */
    static final int MOST_PARTNERS = 1 << 14;

    private final Set<Integer> missing = new TreeSet<>();
    private final List<CompletableFuture<PartialReduceMean.Response>> answers = new ArrayList<>();
    /** The received values by worker, in the order of the ranks. */
    private final TreeMap<Integer, FloatArray> brought = new TreeMap<>();

    PartialMean(int[] ranks) {
        if (ranks.length > MOST_PARTNERS) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "partners: " + ranks.length + " (expected: at most " + MOST_PARTNERS + ")");
        }
        Arrays.stream(ranks).forEach(missing::add);
    }

    CompletionStage<PartialReduceMean.Response> add(int worker, FloatArray values) {
        if (!missing.remove(worker)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "worker: " + worker + " (expected: a partner that has not called yet: " + missing + ")");
        }
        brought.put(worker, values);
        CompletableFuture<PartialReduceMean.Response> answer =
                new DeferredAnswer<>(() -> "partners that have not sent values: " + missing + " (expected: none)");
        answers.add(answer);
        return answer;
    }

    /** True if every missing partner has left or is lost. */
    boolean isComplete(List<Member> members) {
        return Collections.disjoint(missing, Workers.of(members));
    }

    /** True if no partner waits for the mean any more: all calls have timed out or were cancelled. */
    boolean isGivenUp() {
        return answers.stream().allMatch(CompletableFuture::isDone);
    }

    /** Fails all partners. */
    void fail(PsException reason) {
        answers.forEach(answer -> answer.completeExceptionally(reason));
    }

    /** Answers all partners with the mean. */
    void close() {
        FloatArray mean;
        try {
            mean = mean();
        } catch (RuntimeException | Error e) {
            answers.forEach(answer -> answer.completeExceptionally(e));
            return;
        }
        answers.forEach(answer -> answer.complete(new PartialReduceMean.Response(mean)));
    }

    private FloatArray mean() {
        List<FloatArray> inOrder = List.copyOf(brought.values());
        FloatArray mean = FloatArray.allocate(inOrder.get(0).length());
        DenseSums.add(inOrder, inOrder.size(), mean);
        return mean;
    }
}

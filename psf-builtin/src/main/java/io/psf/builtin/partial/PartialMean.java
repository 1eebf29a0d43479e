package io.psf.builtin.partial;

import io.psf.builtin.push.DenseSums;
import io.psf.builtin.push.Workers;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.array.FloatArray;
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
 * What partners have brought so far, and who is still missing. What they brought lies in their requests until the last has
 * come; then it is added up in the order of their ranks.
 */
final class PartialMean {
    private final Set<Integer> missing = new TreeSet<>();
    private final List<CompletableFuture<PartialReduceMean.Response>> answers = new ArrayList<>();
    /** By worker, in the order of ranks. */
    private final TreeMap<Integer, FloatArray> brought = new TreeMap<>();

    PartialMean(int[] ranks) {
        Arrays.stream(ranks).forEach(missing::add);
    }

    CompletionStage<PartialReduceMean.Response> add(int worker, FloatArray values) {
        if (!missing.remove(worker)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "worker: " + worker + " (expected: a partner that has not come yet, " + missing + ")");
        }
        brought.put(worker, values);
        CompletableFuture<PartialReduceMean.Response> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    }

    /** Whether nobody is missing who may still come. */
    boolean isComplete(List<Member> members) {
        return Collections.disjoint(missing, Workers.of(members));
    }

    /** Whether nobody waits for the mean any more. */
    boolean isGivenUp() {
        return answers.stream().allMatch(CompletableFuture::isDone);
    }

    /** Gives everybody the mean. */
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
        DenseSums.add(inOrder, 1f / inOrder.size(), mean);
        return mean;
    }
}

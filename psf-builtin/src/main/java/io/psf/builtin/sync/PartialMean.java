package io.psf.builtin.sync;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.array.FloatArray;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The sum of what partners have brought so far, and who is still missing. */
final class PartialMean {
    private final Set<Integer> missing = new TreeSet<>();
    private final List<CompletableFuture<PartialReduceMean.Response>> answers = new ArrayList<>();
    private @Nullable FloatArray sum;

    PartialMean(int[] ranks) {
        Arrays.stream(ranks).forEach(missing::add);
    }

    CompletionStage<PartialReduceMean.Response> add(int worker, FloatArray values) {
        if (!missing.remove(worker)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "worker: " + worker + " (expected: a partner that has not come yet, " + missing + ")");
        }
        if (sum == null) {
            sum = values.copy();
        } else {
            sum.addScaled(1, values);
        }
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
        FloatArray mean = sum;
        if (mean != null) {
            mean.scale(1f / answers.size());
            answers.forEach(answer -> answer.complete(new PartialReduceMean.Response(mean)));
        }
    }
}

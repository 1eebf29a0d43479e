package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A save or load of a model that the workers do together: one worker, the leader, makes the calls, and the others wait
 * for it. Used on the server's lane.
 */
final class ModelAttempt {
    private final long number;
    /** The workers that take part, by rank. */
    private final TreeMap<Integer, Part> parts = new TreeMap<>();

    private final Map<Integer, CompletableFuture<LeadModel.Response>> waiting = new LinkedHashMap<>();
    private int leader = -1;
    private @Nullable PsException failure;
    private @Nullable Long step;

    /** The part of one worker: the work that it wants to do, as text, and its record. */
    private record Part(String work, List<RecordEntry> entries) {}

    ModelAttempt(long number) {
        this.number = number;
    }

    long number() {
        return number;
    }

    boolean hasLeader() {
        return leader >= 0;
    }

    void join(int worker, String work, List<RecordEntry> entries) {
        parts.put(worker, new Part(work, entries));
    }

    /** Returns the records of the workers, in the order of the ranks. */
    List<RecordEntry> entries() {
        return parts.values().stream().flatMap(part -> part.entries().stream()).toList();
    }

    /**
     * Makes the first worker that calls the leader. The others are answered when it has finished. The attempt fails with
     * {@code BAD_REQUEST} if the workers want to do different work.
     *
     * @param present the ranks of the workers that are present; others no longer take part
     */
    CompletionStage<LeadModel.Response> lead(int worker, Set<Integer> present) {
        if (!hasLeader()) {
            parts.keySet().retainAll(present);
            leader = worker;
            failure = difference();
            if (failure == null) {
                return CompletableFuture.completedFuture(new LeadModel.Response(true, 0));
            }
        }
        CompletableFuture<LeadModel.Response> answer = new CompletableFuture<>();
        waiting.put(worker, answer);
        retain(present);
        answerAll();
        return answer;
    }

    /** Returns the failure if a worker wants to do other work than the first; null if all want to do the same. */
    private @Nullable PsException difference() {
        Map.Entry<Integer, Part> first = parts.firstEntry();
        for (Map.Entry<Integer, Part> each : parts.entrySet()) {
            if (!each.getValue().work().equals(first.getValue().work())) {
                return new PsException(
                        PsException.Code.BAD_REQUEST,
                        each.getValue().work() + " by worker " + each.getKey() + " (expected: "
                                + first.getValue().work() + ", as by worker " + first.getKey() + ")");
            }
        }
        return null;
    }

    /**
     * Finishes the attempt.
     *
     * @param code the code of the leader's failure, which the other workers get too; {@code OK} on success
     * @param failed the reason of the failure
     */
    void finish(int worker, PsException.Code code, String failed, long result) {
        if (worker != leader || isFinished()) {
            return; // the leader was taken for lost
        }
        if (code == PsException.Code.OK) {
            step = result;
        } else {
            failure = new PsException(code, "worker " + leader + " failed: " + failed);
        }
        answerAll();
    }

    /** Fails the attempt if its leader is not present. */
    void retain(Set<Integer> present) {
        if (hasLeader() && !isFinished() && !present.contains(leader)) {
            failure = new PsException(
                    PsException.Code.UNAVAILABLE,
                    "worker " + leader + " left or was lost before it had finished (expected: the worker that saves or"
                            + " loads for all stays; try again)");
            answerAll();
        }
    }

    private boolean isFinished() {
        return failure != null || step != null;
    }

    private void answerAll() {
        List<CompletableFuture<LeadModel.Response>> answers = new ArrayList<>(waiting.values());
        if (failure != null) {
            PsException cause = failure;
            waiting.clear();
            answers.forEach(answer -> answer.completeExceptionally(cause));
        } else if (step != null) {
            LeadModel.Response response = new LeadModel.Response(false, step);
            waiting.clear();
            answers.forEach(answer -> answer.complete(response));
        }
    }
}

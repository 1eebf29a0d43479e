package io.psf.builtin.checkpoint;

import io.psf.api.DeferredAnswer;
import io.psf.api.PsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A save or load of a model that the workers do together: one worker, the leader, makes the calls, and the others wait
 * for it. Used on the server's lane.
 */
final class ModelAttempt {
    /**
     * The time in which the server has to hear that a worker has left, which the barrier did not wait for. After it, a
     * worker without a part has passed the barrier with a call of its own.
     */
    static final Duration TO_HEAR = Duration.ofSeconds(5);

    private final long number;
    private final Executor late;
    /** The workers that take part, by rank. */
    private final TreeMap<Integer, Contribution> parts = new TreeMap<>();

    private final Map<Integer, CompletableFuture<LeadModel.Response>> waiting = new LinkedHashMap<>();
    /** The ranks of the workers that were present when the first of them called, and still are. */
    private final Set<Integer> counted;

    private int leader = -1;
    private @Nullable PsException failure;
    private @Nullable Long step;

    /** The part of one worker: the work that it wants to do, as text, and its record. */
    private record Contribution(String model, String work, List<RecordEntry> entries) {
        @Override
        public String toString() {
            return work + " of model \"" + model + "\"";
        }
    }

    /**
     * Creates an attempt.
     *
     * @param counted the ranks of the workers that are present
     * @param late runs a task on the server's lane, after {@link #TO_HEAR}
     */
    ModelAttempt(long number, Set<Integer> counted, Executor late) {
        this.number = number;
        this.counted = counted;
        this.late = late;
    }

    long number() {
        return number;
    }

    /** Returns true if the attempt has a leader or has failed without one: no further worker can take part. */
    boolean hasBegun() {
        return leader >= 0 || failure != null;
    }

    void join(int worker, String model, String work, List<RecordEntry> entries) {
        parts.put(worker, new Contribution(model, work, entries));
    }

    /** Returns the records of the workers, in the order of the ranks. */
    List<RecordEntry> entries() {
        return parts.values().stream().flatMap(part -> part.entries().stream()).toList();
    }

    /**
     * Makes the first worker that calls the leader. The others are answered when it has finished. The attempt fails
     * with {@code BAD_REQUEST} if the workers want to do different work, or if one of the workers has no part.
     *
     * @param present the ranks of the workers that are present; others no longer take part
     */
    CompletionStage<LeadModel.Response> lead(int worker, String model, Set<Integer> present) {
        requirePart(worker, model);
        CompletableFuture<LeadModel.Response> answer = new DeferredAnswer<>(this::waitsFor);
        waiting.put(worker, answer);
        retain(present);
        if (!hasBegun()) {
            PsException refusal = withoutPart();
            late.execute(() -> {
                if (answer.completeExceptionally(refusal)) {
                    failure = refusal;
                }
            });
        }
        return answer;
    }

    /** Says which worker the others wait for. */
    private String waitsFor() {
        String work = parts.firstEntry().getValue().toString();
        Set<Integer> missing = missing();
        return leader >= 0
                ? work + ": not finished by worker " + leader + ", which does it for all workers (expected:"
                        + " finished before the deadline)"
                : work + ": workers " + missing + " have not called it (expected: all present workers)";
    }

    private Set<Integer> missing() {
        Set<Integer> missing = new TreeSet<>(counted);
        missing.removeAll(parts.keySet());
        return missing;
    }

    /** Returns the failure if a worker has no part. */
    private PsException withoutPart() {
        Set<Integer> missing = missing();
        return new PsException(
                PsException.Code.BAD_REQUEST,
                parts.firstEntry().getValue() + ": not called by workers " + missing
                        + ", which passed the barrier with another call (expected: all present workers save and load"
                        + " together)");
    }

    /** Two threads of one worker that save different models would share its part. */
    private void requirePart(int worker, String model) {
        Contribution part = parts.get(worker);
        if (part == null || !part.model().equals(model)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "model \"" + model + "\": worker " + worker + " has joined for "
                            + (part == null ? "none" : "model \"" + part.model() + "\"")
                            + " (expected: one model at a time)");
        }
    }

    /**
     * Selects the leader once all workers have a part that were present when the first called. Fails the attempt if
     * their work differs, or if its leader is not present.
     */
    void retain(Set<Integer> present) {
        counted.retainAll(present);
        if (!hasBegun() && !waiting.isEmpty()) {
            parts.keySet().retainAll(present);
            waiting.keySet().retainAll(present);
            failure = difference();
            if (failure == null && parts.keySet().containsAll(counted)) {
                selectLeader();
            }
        } else if (leader >= 0 && !isFinished() && !present.contains(leader)) {
            failure = new PsException(
                    PsException.Code.UNAVAILABLE,
                    "worker " + leader + " left or was lost before it had finished (expected: the worker that saves or"
                            + " loads for all stays; try again)");
        }
        answerAll();
    }

    private void selectLeader() {
        for (Map.Entry<Integer, CompletableFuture<LeadModel.Response>> each : List.copyOf(waiting.entrySet())) {
            leader = each.getKey();
            waiting.remove(leader);
            if (each.getValue().complete(new LeadModel.Response(true, 0))) {
                return;
            }
            leader = -1; // refused meanwhile
        }
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

    private boolean isFinished() {
        return failure != null || step != null;
    }

    private void answerAll() {
        List<CompletableFuture<LeadModel.Response>> answers = new ArrayList<>(waiting.values());
        PsException cause = failure;
        if (cause != null) {
            waiting.clear();
            answers.forEach(answer -> answer.completeExceptionally(cause));
        } else if (step != null) {
            LeadModel.Response response = new LeadModel.Response(false, step);
            waiting.clear();
            answers.forEach(answer -> answer.complete(response));
        }
    }

    /** Returns the failure if a worker wants to do other work than the first; null if all want to do the same. */
    private @Nullable PsException difference() {
        Map.Entry<Integer, Contribution> first = parts.firstEntry();
        for (Map.Entry<Integer, Contribution> each : parts.entrySet()) {
            Contribution part = each.getValue();
            if (!part.toString().equals(first.getValue().toString())) {
                return new PsException(
                        PsException.Code.BAD_REQUEST,
                        part + " by worker " + each.getKey() + " (expected: " + first.getValue() + ", as by worker "
                                + first.getKey() + ")");
            }
        }
        return null;
    }
}

package io.psf.builtin.internal.training;

import io.psf.api.DeferredAnswer;
import io.psf.api.DeferredAnswer.Reason;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.push.Stages;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Workers that wait for a save or load that the server does once for all of them. If they have reduced weights, one of
 * them copies its own to the servers before. Used on the server's lane.
 */
final class Meeting {
    private static final int NONE = -1;

    private final String what;
    private final Function<Meeting, CompletionStage<Outcome>> work;
    private final TreeMap<Integer, Part> parts = new TreeMap<>();
    private final TreeMap<Integer, Waiting<?>> waiting = new TreeMap<>();
    private Set<Integer> expected = Set.of();
    /** The worker that copies its weights now. */
    private int giver = NONE;
    /** True once the weights are on the servers. */
    private boolean given;

    private boolean begun;
    private @Nullable Outcome outcome;
    private @Nullable Throwable failure;

    /**
     * The part of a worker.
     *
     * @param stop true if it wants this cut to be the last one of its loop
     * @param whole true if it waits until the checkpoint is complete
     * @param given true if it has copied its reduced weights to the servers just now
     * @param options what it wants of the checkpoints
     * @param entries its record
     * @param rollback the last rollback that it knows
     */
    record Part(
            boolean stop,
            boolean whole,
            boolean given,
            ModelOptions options,
            List<RecordEntry> entries,
            long rollback) {}

    /** The call of a worker, and what makes its answer. */
    private record Waiting<R>(CompletableFuture<R> answer, Function<Outcome, R> response) {
        boolean complete(Outcome outcome) {
            return answer.complete(response.apply(outcome));
        }
    }

    /**
     * Creates a meeting.
     *
     * @param what the work, for messages
     * @param work does the work; its stage completes on the lane
     */
    Meeting(String what, Function<Meeting, CompletionStage<Outcome>> work) {
        this.what = what;
        this.work = work;
    }

    /** True once all workers were there: no other one may join them. */
    boolean isComplete() {
        return begun || giver != NONE || failure != null;
    }

    /** True once the work has begun. */
    boolean hasBegun() {
        return begun;
    }

    /** True if a worker waits. */
    boolean isAwaited() {
        return waiting.values().stream().anyMatch(each -> !each.answer().isDone());
    }

    /**
     * Adds a worker.
     *
     * @param response makes the answer to its call
     */
    <R> CompletionStage<R> add(int worker, Part part, Function<Outcome, R> response) {
        Waiting<R> waits = new Waiting<>(new DeferredAnswer<>(Reason.of(this::waitsFor, this::missing)), response);
        forget(worker); // it has given its weights, or comes again
        given |= part.given();
        parts.put(worker, part);
        waiting.put(worker, waits);
        answerAll();
        return waits.answer();
    }

    /** Forgets that a worker has come. */
    void forget(int worker) {
        parts.remove(worker);
        waiting.remove(worker);
        if (giver == worker) {
            giver = NONE;
        }
    }

    /** Returns the ranks of the workers that have come so far. */
    Set<Integer> workers() {
        return parts.keySet();
    }

    int[] ranks() {
        return parts.keySet().stream().mapToInt(Integer::intValue).toArray();
    }

    /** Returns the part of one of the workers. */
    Part any() {
        return parts.firstEntry().getValue();
    }

    /** Returns the records of the workers. */
    List<RecordEntry> entries() {
        List<RecordEntry> entries = new ArrayList<>();
        parts.values().forEach(part -> entries.addAll(part.entries()));
        return entries;
    }

    /** Returns the last rollback that all of the workers know. */
    long rollback() {
        return parts.values().stream().mapToLong(Part::rollback).min().orElse(0);
    }

    /** True if a worker wants this cut to be the last one. */
    boolean isLast() {
        return parts.values().stream().anyMatch(Part::stop);
    }

    /** True if the workers wait until the checkpoint is complete. */
    boolean isWhole() {
        return parts.values().stream().anyMatch(part -> part.whole() || part.stop());
    }

    /** Returns the workers that have not come; none once the work has begun. */
    private Set<Integer> missing() {
        Set<Integer> missing = new TreeSet<>(begun ? Set.of() : expected);
        missing.removeAll(parts.keySet());
        return missing;
    }

    private String waitsFor() {
        if (begun) {
            return what + ": not finished by the servers (expected: finished before the deadline)";
        }
        return giver == NONE
                ? what + ": workers " + missing() + " have not come (expected: all of them)"
                : what + ": worker " + giver
                        + " has not copied its weights to the servers (expected: before the deadline)";
    }

    /**
     * Begins the work, if all workers are there and the servers have their weights. Workers that join give theirs only
     * if there are no others.
     *
     * @param all the workers that have to come, with true for those that join at this cut
     * @param present the workers that are present
     */
    void check(Map<Integer, Boolean> all, Set<Integer> present) {
        if (begun || failure != null) {
            return;
        }
        expected = all.keySet();
        parts.keySet().retainAll(present);
        waiting.keySet().retainAll(present);
        if (!present.contains(giver)) {
            giver = NONE; // another one begins anew
        }
        while (giver == NONE && !waiting.isEmpty() && parts.keySet().containsAll(expected)) {
            if (given
                    || parts.values().stream()
                            .allMatch(part -> part.options().reduced().isEmpty())) {
                begin();
                return;
            }
            giver = waiting.keySet().stream()
                    .filter(rank -> !all.getOrDefault(rank, false))
                    .findFirst()
                    .orElse(waiting.firstKey());
            parts.remove(giver);
            if (!Objects.requireNonNull(waiting.remove(giver)).complete(Outcome.GIVE)) {
                giver = NONE; // has given up
            }
        }
    }

    private void begin() {
        begun = true;
        var unused = Stages.begun(() -> work.apply(this)).whenComplete((done, why) -> {
            if (why == null) {
                outcome = done;
                answerAll();
            } else {
                fail(Stages.cause(why));
            }
        });
    }

    /** Fails what waits, and comes. */
    void fail(Throwable why) {
        if (failure == null && outcome == null) {
            failure = why;
            answerAll();
        }
    }

    private void answerAll() {
        if (failure == null && outcome == null) {
            return;
        }
        List<Waiting<?>> all = List.copyOf(waiting.values());
        waiting.clear();
        for (Waiting<?> each : all) {
            if (outcome != null) {
                var unused = each.complete(outcome);
            } else {
                each.answer().completeExceptionally(failure);
            }
        }
    }
}

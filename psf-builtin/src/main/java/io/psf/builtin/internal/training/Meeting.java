package io.psf.builtin.internal.training;

import io.psf.api.DeferredAnswer;
import io.psf.api.PsException;
import io.psf.builtin.checkpoint.RecordEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A meeting of the workers of a training loop: one of them leads, and the others wait for it. Used on the server's
 * lane.
 */
final class Meeting {
    private static final int NONE = -1;

    private final long step;
    private final Map<Integer, List<RecordEntry>> left;
    private final TreeMap<Integer, Attendance> parts = new TreeMap<>();
    private final TreeMap<Integer, CompletableFuture<MeetWorkers.Response>> waiting = new TreeMap<>();
    private Set<Integer> expected = Set.of();
    private int leader = NONE;

    /**
     * The part of a worker.
     *
     * @param stop true if the worker wants this cut to be the last one
     * @param entries the worker's record
     */
    record Attendance(boolean stop, List<RecordEntry> entries) {}

    /**
     * Creates a meeting.
     *
     * @param step the step of a cut, or {@link MeetWorkers#LOAD}
     * @param left the records of workers that have left, by rank
     */
    Meeting(long step, Map<Integer, List<RecordEntry>> left) {
        this.step = step;
        this.left = left;
    }

    long step() {
        return step;
    }

    /** Returns true if a worker does the work for all. */
    boolean isLed() {
        return leader != NONE;
    }

    boolean isLedBy(int worker) {
        return leader == worker;
    }

    CompletionStage<MeetWorkers.Response> add(int worker, Attendance part) {
        CompletableFuture<MeetWorkers.Response> answer = new DeferredAnswer<>(this::waitsFor);
        forget(worker); // a leader that comes again has not done the work
        parts.put(worker, part);
        waiting.put(worker, answer);
        return answer;
    }

    /** Forgets that a worker has come. */
    void forget(int worker) {
        parts.remove(worker);
        waiting.remove(worker);
        if (isLedBy(worker)) {
            leader = NONE;
        }
    }

    /** Returns the ranks of the workers that have come so far. */
    Set<Integer> workers() {
        return parts.keySet();
    }

    private String waitsFor() {
        Set<Integer> missing = new TreeSet<>(expected);
        missing.removeAll(parts.keySet());
        String what = step == MeetWorkers.LOAD ? "load of a checkpoint" : "cut after step " + step;
        return isLed()
                ? what + ": not finished by worker " + leader + " (expected: finished before the deadline)"
                : what + ": workers " + missing + " have not come (expected: all workers of the training loop)";
    }

    /**
     * Makes the worker of the lowest rank the leader, if all are there. Workers that join lead only if there are no
     * others, since the leader's weights are saved.
     *
     * @param all the workers of the loop, with true for workers that join at this cut
     * @param present the workers that are present
     */
    void check(Map<Integer, Boolean> all, Set<Integer> present) {
        expected = all.keySet();
        parts.keySet().retainAll(present);
        waiting.keySet().retainAll(present);
        if (!present.contains(leader)) {
            leader = NONE; // another one begins anew
        }
        while (!isLed() && !waiting.isEmpty() && parts.keySet().containsAll(expected)) {
            leader = waiting.keySet().stream()
                    .filter(rank -> !all.getOrDefault(rank, false))
                    .findFirst()
                    .orElse(waiting.firstKey());
            CompletableFuture<MeetWorkers.Response> answer = Objects.requireNonNull(waiting.remove(leader));
            List<RecordEntry> entries = new ArrayList<>();
            parts.values().forEach(part -> entries.addAll(part.entries()));
            left.forEach((worker, record) -> {
                if (!parts.containsKey(worker)) {
                    entries.addAll(record);
                }
            });
            int[] workers = parts.keySet().stream().mapToInt(Integer::intValue).toArray();
            boolean joined = all.containsValue(true);
            if (!answer.complete(new MeetWorkers.Response(true, 0, isLast(), joined, workers, entries))) {
                leader = NONE; // has given up
            }
        }
    }

    boolean isLast() {
        return parts.values().stream().anyMatch(Attendance::stop);
    }

    /** Answers all with the outcome. */
    void end(long outcome) {
        MeetWorkers.Response response =
                new MeetWorkers.Response(false, outcome, isLast(), false, new int[0], List.of());
        List<CompletableFuture<MeetWorkers.Response>> answers = List.copyOf(waiting.values());
        waiting.clear();
        answers.forEach(answer -> answer.complete(response));
    }

    void fail(PsException why) {
        List<CompletableFuture<MeetWorkers.Response>> answers = List.copyOf(waiting.values());
        waiting.clear();
        answers.forEach(answer -> answer.completeExceptionally(why));
    }
}

package io.psf.builtin.ssp;

import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.builtin.push.Workers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A group of workers whose clocks may differ by at most the staleness: the clock of each worker, and the calls that
 * wait for the slowest. Used on the server's lane.
 */
final class SspGroup {
    private final long key;
    private final int size;
    private final int staleness;
    /** The pace by rank, for the ranks whose worker has called. */
    private final Map<Integer, Pace> paces = new HashMap<>();
    /** The workers that have joined, those that are lost included. */
    private final Set<Integer> joined = new HashSet<>();

    /** The workers that were present at the last change. */
    private Set<Integer> present = Set.of();

    private final List<Waiting> waiting = new ArrayList<>();

    /** A worker and the clock that it has reached. */
    private record Pace(int worker, long clock) {}

    /** An answer that is due once the slowest worker has reached clock {@code until}. */
    private record Waiting(long until, CompletableFuture<SspSync.Response> answer) {}

    SspGroup(long key, int size, int staleness) {
        require(size >= 1, "size", size, ">= 1 workers");
        require(staleness >= 0, "staleness", staleness, ">= 0 clocks");
        this.key = key;
        this.size = size;
        this.staleness = staleness;
    }

    boolean isAs(SspGroup other) {
        return size == other.size && staleness == other.staleness;
    }

    /** Records that a worker takes part in the group. */
    void join(int worker) {
        joined.add(worker);
    }

    /** Records that a rank's worker has reached a clock. Answered once the slowest worker is within the staleness. */
    CompletionStage<SspSync.Response> sync(int rank, long clock, int worker, List<Member> members) {
        require(rank >= 0 && rank < size, "rank", rank, "0 to " + (size - 1) + " in " + this);
        require(clock >= 0, "clock", clock, ">= 0");
        Pace before = paces.get(rank);
        Set<Integer> workers = Workers.of(members);
        if (before == null || !workers.contains(before.worker())) {
            paces.forEach((other, pace) -> require(
                    pace.worker() != worker,
                    "rank of worker " + worker,
                    rank,
                    other + ", the rank of its first call to " + this));
        } else {
            require(before.worker() == worker, "rank", rank, "another than that of worker " + before.worker());
            require(clock >= before.clock(), "clock of rank " + rank, clock, ">= " + before.clock() + ", as before");
        }
        join(worker);
        paces.put(rank, new Pace(worker, clock));
        long until = clock - staleness;
        CompletableFuture<SspSync.Response> answer = new DeferredAnswer<>(() -> behind(until));
        waiting.add(new Waiting(until, answer));
        release(members);
        return answer;
    }

    /**
     * Answers the calls for which the slowest worker is within the staleness now. Drops calls that are done already.
     */
    void release(List<Member> members) {
        present = Workers.of(members);
        long slowest = slowest(present);
        List<Waiting> pass = new ArrayList<>();
        waiting.removeIf(each -> each.answer().isDone()); // timed out or cancelled
        waiting.removeIf(each -> each.until() <= slowest && pass.add(each));
        pass.forEach(each -> each.answer().complete(new SspSync.Response(slowest)));
    }

    /**
     * Returns the lowest clock of the present workers that have called; 0 while a rank is free that a present worker may
     * have: one that has joined, or any while fewer workers than ranks have.
     */
    private long slowest(Set<Integer> workers) {
        long slowest = Long.MAX_VALUE;
        Set<Integer> toCome = new HashSet<>(workers);
        if (joined.size() >= size) {
            toCome.retainAll(joined);
        }
        for (Pace pace : paces.values()) {
            if (workers.contains(pace.worker())) {
                slowest = Math.min(slowest, pace.clock());
                toCome.remove(pace.worker());
            }
        }
        return paces.size() < size && !toCome.isEmpty() ? 0 : slowest;
    }

    /** Returns which workers are behind a clock, as a message. */
    private String behind(long until) {
        Map<Integer, Long> clocks = new TreeMap<>();
        Set<Integer> toCome = new HashSet<>(present);
        if (joined.size() >= size) {
            toCome.retainAll(joined);
        }
        for (Pace pace : paces.values()) {
            toCome.remove(pace.worker());
            if (present.contains(pace.worker()) && pace.clock() < until) {
                clocks.put(pace.worker(), pace.clock());
            }
        }
        if (paces.size() < size) {
            toCome.forEach(worker -> clocks.put(worker, 0L));
        }
        return "workers behind clock " + until + ", with their clocks: " + clocks + " (expected: none in " + this + ")";
    }

    private static void require(boolean holds, String name, long actual, String expected) {
        if (!holds) {
            throw new PsException(PsException.Code.BAD_REQUEST, name + ": " + actual + " (expected: " + expected + ")");
        }
    }

    @Override
    public String toString() {
        return "group " + key + " of size " + size + " and staleness " + staleness;
    }
}

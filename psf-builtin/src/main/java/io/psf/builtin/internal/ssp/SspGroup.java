package io.psf.builtin.internal.ssp;

import io.psf.api.DeferredAnswer;
import io.psf.api.DeferredAnswer.Reason;
import io.psf.api.Member;
import io.psf.api.Metrics;
import io.psf.api.PsException;
import io.psf.builtin.push.Renumbering;
import io.psf.builtin.push.WaitingCalls;
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
    /** The number of workers; {@link SspInit#ALL} for all workers of the cluster. */
    private final int size;

    private final int staleness;
    /** The pace by rank, for the ranks whose worker has called. */
    private final Map<Integer, Pace> paces = new HashMap<>();
    /** The workers that have joined, lost workers included. */
    private final Set<Integer> joined = new HashSet<>();

    /** Of a group of all workers, the workers that were present when it was created, and still are. */
    private final Set<Integer> counted;

    /** The workers that were present at the last change. */
    private Set<Integer> present = Set.of();

    private final List<WaitingSync> waiting = new ArrayList<>();

    /** The workers that have joined the cluster and do not begin yet. */
    private final Set<Integer> paused = new HashSet<>();

    private final Renumbering numbers = new Renumbering();

    /** The worker of a rank that is lost, and of which another worker may take the place. */
    private static final int NONE = -1;

    /** A worker and the clock that it has reached. */
    private record Pace(int worker, long clock) {}

    /** An answer that is due once the slowest worker has reached clock {@code until}. */
    private record WaitingSync(int worker, long until, CompletableFuture<SspSync.Response> answer) {}

    SspGroup(long key, int size, int staleness, Set<Integer> present) {
        require(size >= 0, "size", size, ">= 1 workers, or 0 for all");
        require(staleness >= 0, "staleness", staleness, ">= 0 clocks");
        this.key = key;
        this.size = size;
        this.staleness = staleness;
        this.counted = new HashSet<>(present);
        this.present = present;
    }

    boolean isAs(SspGroup other) {
        return size == other.size && staleness == other.staleness;
    }

    /**
     * Records that a worker takes part in the group.
     *
     * @return the clock that it begins with: the clock of the slowest worker, which is 0 for the workers with which the
     *     group began
     */
    long join(int worker, List<Member> members) {
        release(members);
        long slowest = slowest(present);
        long clock = slowest < Long.MAX_VALUE
                ? slowest
                : paces.values().stream().mapToLong(Pace::clock).max().orElse(0);
        joined.add(worker);
        numbers.joined(worker);
        if (isOfAll() && !counted.contains(worker)) {
            paces.put(worker, new Pace(worker, clock));
        }
        return clock;
    }

    /** True if no worker that has joined the group is present. */
    boolean isLeft(Set<Integer> workers) {
        return waiting.isEmpty() && joined.stream().noneMatch(workers::contains);
    }

    private boolean isOfAll() {
        return size == SspInit.ALL;
    }

    /** Records that a rank's worker has reached a clock. Answered once the slowest worker is within the staleness. */
    CompletionStage<SspSync.Response> sync(int rank, long own, int worker, List<Member> members) {
        boolean fits = isOfAll() ? rank == worker : rank >= 0 && rank < size;
        require(fits, "rank", rank, (isOfAll() ? "" + worker : "0 to " + (size - 1)) + " in " + this);
        require(own >= 0, "clock", own, ">= 0");
        long clock = numbers.here(worker, own);
        Pace before = paces.get(rank);
        Set<Integer> workers = Workers.of(members);
        if (before == null || !workers.contains(before.worker())) {
            paces.forEach((other, pace) -> require(
                    pace.worker() != worker,
                    "rank of worker " + worker,
                    rank,
                    other + ", the rank of its first call to " + this));
        } else {
            require(before.worker() == worker, "rank", rank, "another than the rank of worker " + before.worker());
            require(clock >= before.clock(), "clock of rank " + rank, clock, ">= " + before.clock() + ", as before");
        }
        joined.add(worker);
        paces.put(rank, new Pace(worker, clock));
        long until = clock - staleness;
        CompletableFuture<SspSync.Response> answer = new DeferredAnswer<>(
                Reason.of(() -> behind(until), () -> clocksBehind(until).keySet()));
        waiting.add(new WaitingSync(worker, until, answer));
        release(members);
        return answer;
    }

    /** Measures the clocks of the workers that are present. */
    void measure(Metrics to) {
        for (Pace pace : paces.values()) {
            if (present.contains(pace.worker())) {
                to.with("worker", pace.worker()).highest("psf.ssp.clock", "clocks", "clock of a worker", pace.clock());
            }
        }
        to.highest("psf.ssp.staleness", "clocks", "clocks that a worker may be ahead of the slowest", staleness);
    }

    /** Fails the calls that wait. */
    void fail(PsException reason) {
        List<WaitingSync> failed = List.copyOf(waiting);
        waiting.clear();
        failed.forEach(each -> each.answer().completeExceptionally(reason));
    }

    /** Waits for no clock of a worker, until it begins. */
    void pause(int worker, List<Member> members) {
        paused.add(worker);
        counted.remove(worker);
        paces.values().removeIf(pace -> pace.worker() == worker);
        release(members);
    }

    /** Makes the next clock of each worker that begins its first. */
    void restart(Set<Integer> workers, List<Member> members) {
        fail(WaitingCalls.dropped("clock of " + this));
        paused.removeAll(workers);
        paces.clear();
        present = Workers.of(members);
        if (isOfAll()) {
            workers.stream().filter(joined::contains).forEach(counted::add);
        }
        numbers.restart(workers, 1);
    }

    /**
     * Answers the calls for which the slowest worker is within the staleness now. Drops calls that are done already.
     */
    void release(List<Member> members) {
        present = Workers.of(members);
        counted.retainAll(present);
        numbers.retain(present);
        paused.retainAll(present);
        paces.replaceAll((rank, pace) -> present.contains(pace.worker()) ? pace : new Pace(NONE, pace.clock()));
        long slowest = slowest(present);
        List<WaitingSync> pass = new ArrayList<>();
        waiting.removeIf(each -> each.answer().isDone()); // timed out or cancelled
        waiting.removeIf(each -> each.until() <= slowest && pass.add(each));
        pass.forEach(each -> each.answer().complete(new SspSync.Response(numbers.own(each.worker(), slowest))));
    }

    /**
     * Returns the lowest clock of the present workers that have called; 0 while a rank is free that a present worker
     * may have: a worker that has joined, or any worker while fewer workers than ranks have joined.
     */
    private long slowest(Set<Integer> workers) {
        long slowest = Long.MAX_VALUE;
        Set<Integer> toCome = mayCome();
        for (Pace pace : paces.values()) {
            if (workers.contains(pace.worker())) {
                slowest = Math.min(slowest, pace.clock());
                toCome.remove(pace.worker());
            }
        }
        return (isOfAll() || paces.size() < size) && !toCome.isEmpty() ? 0 : slowest;
    }

    /** Returns the present workers that may have a rank of the group, those included that have called. */
    private Set<Integer> mayCome() {
        if (isOfAll()) {
            return new HashSet<>(counted);
        }
        Set<Integer> workers = new HashSet<>(present);
        workers.removeAll(paused);
        if (joined.size() >= size) {
            workers.retainAll(joined);
        }
        return workers;
    }

    /** Returns the workers behind a clock, with their clocks. */
    private Map<Integer, Long> clocksBehind(long until) {
        Map<Integer, Long> clocks = new TreeMap<>();
        Set<Integer> toCome = mayCome();
        for (Pace pace : paces.values()) {
            toCome.remove(pace.worker());
            if (present.contains(pace.worker()) && pace.clock() < until) {
                clocks.put(pace.worker(), pace.clock());
            }
        }
        if (isOfAll() || paces.size() < size) {
            toCome.forEach(worker -> clocks.put(worker, 0L));
        }
        return clocks;
    }

    /** Returns which workers are behind a clock, as a message. */
    private String behind(long until) {
        return "workers behind clock " + until + ", with their clocks: " + clocksBehind(until) + " (expected: none in "
                + this + ")";
    }

    private static void require(boolean holds, String name, long actual, String expected) {
        if (!holds) {
            throw new PsException(PsException.Code.BAD_REQUEST, name + ": " + actual + " (expected: " + expected + ")");
        }
    }

    @Override
    public String toString() {
        return "group " + key + (isOfAll() ? " of all workers" : " of size " + size) + " and staleness " + staleness;
    }
}

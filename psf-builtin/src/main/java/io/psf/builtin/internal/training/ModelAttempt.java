package io.psf.builtin.internal.training;

import io.psf.api.PsException;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.push.Workers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A save or load of a model that all workers ask for: each joins, passes a barrier, and waits for it. Used on the
 * server's lane.
 */
final class ModelAttempt {
    /**
     * The time in which the server has to hear that a worker has left, which the barrier did not wait for. After it, a
     * worker without a part has passed the barrier with a call of its own.
     */
    static final Duration TO_HEAR = Duration.ofSeconds(5);

    private final long number;
    private final StoredNode server;
    /** The workers that take part, by rank. */
    private final TreeMap<Integer, Contribution> parts = new TreeMap<>();

    /** The ranks of the workers that were present when the first of them called, and still are. */
    private final Set<Integer> counted;

    private @Nullable Meeting meeting;

    /** The part of one worker: the work that it wants done, as text, and its record. */
    private record Contribution(String model, String work, List<RecordEntry> entries) {
        @Override
        public String toString() {
            return work + " of model \"" + model + "\"";
        }
    }

    /**
     * The work that a worker wants done, as it has said when it joined.
     *
     * @param step the step; -1 for the newest
     */
    record Wanted(String model, boolean load, long step) {}

    ModelAttempt(long number, StoredNode server) {
        this.number = number;
        this.server = server;
        this.counted = Workers.of(server.members());
    }

    long number() {
        return number;
    }

    /** Returns true if no further worker can take part. */
    boolean isComplete() {
        return meeting != null && meeting.isComplete();
    }

    void join(int worker, String model, String work, List<RecordEntry> entries) {
        parts.put(worker, new Contribution(model, work, entries));
    }

    /**
     * Waits for the work. It fails with {@code BAD_REQUEST} if the workers want different work, or if one of them has
     * no part.
     */
    <R> CompletionStage<R> meet(int worker, Wanted wanted, Meeting.Part request, Function<Outcome, R> response) {
        Contribution part = parts.get(worker);
        if (part == null || !part.model().equals(wanted.model())) { // two threads of one worker would share its part
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "model \"" + wanted.model() + "\": worker " + worker + " has joined for "
                            + (part == null ? "none" : "model \"" + part.model() + "\"")
                            + " (expected: one model at a time)");
        }
        Meeting all = meeting == null ? new Meeting(part.toString(), each -> work(each, wanted)) : meeting;
        meeting = all;
        CompletionStage<R> answer = all.add(worker, request, response);
        retain(Workers.of(server.members()));
        if (!all.isComplete()) {
            var unused = server.after(TO_HEAR, () -> {
                if (!all.isComplete()) {
                    all.fail(withoutPart());
                }
            });
        }
        return answer;
    }

    private PsException withoutPart() {
        Set<Integer> missing = new TreeSet<>(counted);
        missing.removeAll(parts.keySet());
        return new PsException(
                PsException.Code.BAD_REQUEST,
                parts.firstEntry().getValue() + ": not called by workers " + missing
                        + ", which passed the barrier with another call (expected: all present workers save and load"
                        + " together)");
    }

    /** Begins the work once all workers have a part that were present when the first called, and still are. */
    void retain(Set<Integer> present) {
        counted.retainAll(present);
        Meeting all = meeting;
        if (all == null || all.hasBegun()) {
            return;
        }
        parts.keySet().retainAll(present);
        PsException difference = difference();
        if (difference != null) {
            all.fail(difference);
        } else if (parts.keySet().containsAll(counted)) {
            all.check(Map.of(), present);
        }
    }

    private CompletionStage<Outcome> work(Meeting all, Wanted wanted) {
        List<RecordEntry> entries =
                parts.values().stream().flatMap(part -> part.entries().stream()).toList();
        LedWork work = new LedWork(server, wanted.model());
        if (wanted.load()) {
            int[] workers = Workers.of(server.members()).stream()
                    .mapToInt(Integer::intValue)
                    .toArray();
            return work.load(all, wanted.step(), workers);
        }
        return work.save(all, wanted.step(), entries)
                .start(all::isAwaited)
                .thenApply(saved -> Outcome.saved(saved, false));
    }

    /** Returns the failure if a worker wants other work than the first; null if all want the same. */
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

package io.psf.builtin.internal.training;

import io.psf.api.DeferredAnswer;
import io.psf.api.PsException;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.push.Stages;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A training loop as the server that leads it knows it: where its workers are, and the next cut. Used on the server's
 * lane.
 *
 * <p>Each worker tells at some boundaries between its steps at which it tells next, {@code next}, and passes the
 * boundary after that with the answer alone. So no worker has passed a cut after step {@code max(next) + 1} when it
 * reads of the cut, whatever calls are under way.
 *
 * <p>It is one state machine, and one class: a call of a worker may change the places, the next cut and the meeting.
 */
final class TrainingState {
    /** In place of the next step: of a worker that has not told. */
    private static final long UNKNOWN = Long.MAX_VALUE;

    private static final long NONE = -1;

    /** In place of the step of a cut: the workers load a checkpoint. */
    static final long LOAD = -1;

    private final String model;
    private final LoopWork work;
    private final Supplier<Set<Integer>> present;
    private final Map<Integer, Place> places = new TreeMap<>();
    /** The workers that wait for a cut at which they join. */
    private final Map<Integer, Joining> joining = new LinkedHashMap<>();

    /** The workers that have left before one has told: they had entered before this server came back. */
    private final Set<Integer> departed = new TreeSet<>();

    /** By rank, the records of the workers that have left in order since the last checkpoint began. */
    private final Map<Integer, List<RecordEntry>> left = new TreeMap<>();

    private @Nullable Gathering meeting;
    /** The meeting of workers that join at a later cut than the one that the others have come to. */
    private @Nullable Gathering next;
    /** Why the workers go back to a checkpoint; null if they do not. */
    private @Nullable PsException reason;
    /** True once a worker has told: workers that enter from then on are late. */
    private boolean begun;
    /** True from the last cut on: the workers that are in the loop still are about to leave it. */
    private boolean over;
    /** True if the last cut was requested: the loop has ended before the last step. */
    private boolean stopped;
    /** True if a worker has requested a cut. */
    private boolean requested;

    private long cut = NONE;
    /** The number of all steps, as the workers tell it. */
    private long steps;
    /** The time of the last cut, by the server's clock. */
    private long last = System.nanoTime();

    /**
     * The place of a worker.
     *
     * @param first the step of the cut at which it has joined; 0 for those with which the loop began
     * @param next the step at whose end it tells again
     */
    private record Place(long first, long next) {}

    /**
     * A meeting, and where it is.
     *
     * @param step the step of the cut; {@link #LOAD}
     */
    private record Gathering(long step, Meeting workers) {}

    /**
     * A worker that waits for a cut.
     *
     * @param until the last step of its run
     */
    private record Joining(long until, CompletableFuture<EnterTraining.Response> answer) {
        void answer(long cut, List<RecordEntry> record) {
            answer.complete(new EnterTraining.Response(cut, record, ""));
        }
    }

    /**
     * Creates a loop without workers.
     *
     * @param work what this server does for the workers
     * @param present returns the ranks of the workers that are present
     */
    TrainingState(String model, LoopWork work, Supplier<Set<Integer>> present) {
        this.model = model;
        this.work = work;
        this.present = present;
    }

    LoopWork work() {
        return work;
    }

    /** True if no worker is in the loop any more, and none will ask how it has ended. */
    boolean isForgotten() {
        return places.isEmpty() && joining.isEmpty() && departed.isEmpty() && meeting == null && next == null && !over;
    }

    /** True if the run of a worker has ended with the others'. */
    private boolean isOver(long until) {
        return over && (stopped || until <= steps);
    }

    /** As above, also if this server has come back after the end: then it knows no other worker. */
    private boolean isOver(int worker, Entry entry) {
        return isOver(entry.steps()) || entry.ended() && isLeft(worker) && !isAlone(worker);
    }

    /** True if no other worker is in the loop. */
    private boolean isLeft(int worker) {
        return Set.of(worker).containsAll(places.keySet());
    }

    private boolean isAlone(int worker) {
        return present.get().equals(Set.of(worker));
    }

    /**
     * How a worker enters.
     *
     * @param steps the number of the last step of its run
     * @param late true if it has joined a running job
     * @param paused true if nothing waits for it
     * @param back true if it has come back
     * @param ended true if there is a checkpoint of the last step of its run
     */
    record Entry(long steps, boolean late, boolean paused, boolean back, boolean ended) {}

    CompletionStage<EnterTraining.Response> enter(int worker, Entry entry) {
        boolean late = entry.late();
        boolean paused = entry.paused();
        departed.remove(worker);
        boolean isAlone = isAlone(worker);
        if ((late || entry.back()) && isOver(worker, entry)) {
            places.remove(worker);
            return CompletableFuture.completedFuture(EnterTraining.Response.at(EnterTraining.OVER));
        }
        if (places.isEmpty() || over || isAlone) {
            begin();
        }
        if (reason != null && !paused && (meeting == null || !meeting.workers().hasBegun())) {
            places.put(worker, new Place(0, UNKNOWN));
            return CompletableFuture.completedFuture(EnterTraining.Response.at(EnterTraining.BACK));
        } else if (!late && !begun || isAlone) {
            places.put(worker, new Place(0, 0));
            return CompletableFuture.completedFuture(EnterTraining.Response.at(EnterTraining.TOGETHER));
        } else if (!paused) {
            places.remove(worker);
            check();
            return CompletableFuture.completedFuture(EnterTraining.Response.at(EnterTraining.LATE));
        }
        places.remove(worker); // of a server that has come back: the worker called the one before it
        CompletableFuture<EnterTraining.Response> answer = new DeferredAnswer<>(() -> "training loop of model \""
                + model + "\": workers " + present.get() + " are not in it (expected: another worker that trains)");
        joining.put(worker, new Joining(entry.steps(), answer));
        decide();
        release();
        return answer;
    }

    private void begin() {
        places.clear();
        departed.clear();
        begun = false;
        over = false;
        stopped = false;
        cut = NONE;
        reason = null;
        meeting = null;
        next = null;
        left.clear(); // a checkpoint is loaded
        last = System.nanoTime();
        work.forgetFailures();
    }

    /**
     * Makes all workers go back to a checkpoint together with a worker that has come back.
     *
     * @return false if it is the only one, or if the others have ended
     */
    boolean goBackWith(int worker, Entry entry) {
        if (isAlone(worker) || isLeft(worker) && isOver(worker, entry)) {
            return false;
        }
        requireKnown(worker);
        joining.remove(worker);
        if (meeting != null) {
            meeting.workers().forget(worker); // the one whose rank it has
        }
        if (next != null) {
            next.workers().forget(worker);
        }
        abandon(rolledBack(worker));
        return true;
    }

    /**
     * Removes a worker.
     *
     * @param record what the next checkpoint has of the worker; empty if its loop has failed
     */
    void leave(int worker, List<RecordEntry> record) {
        boolean trains = places.remove(worker) != null;
        if (!trains && !begun) {
            departed.add(worker);
        }
        joining.remove(worker);
        if (trains && reason == null && !record.isEmpty()) {
            left.put(worker, record.stream().filter(RecordEntry::isCarriedOver).toList());
        }
        check();
        release();
    }

    /** Lets the workers begin that wait for a cut, if no other one is left that could take it. */
    private void release() {
        if (places.isEmpty() && !joining.isEmpty() && joining.keySet().containsAll(present.get())) {
            begin();
            joining.keySet().forEach(worker -> places.put(worker, new Place(0, 0)));
            joining.values().forEach(each -> each.answer(EnterTraining.TOGETHER, List.of()));
            joining.clear();
        }
    }

    long tell(int worker, long next, long allSteps, long everyMillis, boolean stop) {
        requireKnown(worker);
        if (reason != null) {
            throw reason;
        }
        begun = true;
        steps = allSteps;
        places.computeIfPresent(worker, (rank, place) -> new Place(place.first(), next));
        boolean isDue = everyMillis > 0 && System.nanoTime() - last >= TimeUnit.MILLISECONDS.toNanos(everyMillis);
        requested |= stop || isDue && !work.isBusy();
        decide();
        return cut;
    }

    /** Learns of all workers after this server has come back: it has told none of them of a cut. */
    private void requireKnown(int worker) {
        departed.remove(worker);
        if (!places.containsKey(worker)) {
            places.put(worker, new Place(0, UNKNOWN));
            present.get().stream()
                    .filter(each -> !joining.containsKey(each) && !departed.contains(each))
                    .forEach(each -> places.putIfAbsent(each, new Place(0, UNKNOWN)));
        }
    }

    /** Decides on a cut if one is requested or a worker waits to join, and no other one is to come. */
    private void decide() {
        long most = places.values().stream().mapToLong(Place::next).max().orElse(UNKNOWN);
        if (!begun || reason != null || most == UNKNOWN || !requested && joining.isEmpty()) {
            return;
        }
        if (cut == NONE) {
            cut = Math.min(steps, most + 1);
        }
        if (meeting == null || meeting.step() != cut) {
            joining.keySet().forEach(worker -> places.put(worker, new Place(cut, cut)));
            joining.forEach((worker, each) -> each.answer(cut, left.getOrDefault(worker, List.of())));
            joining.clear();
        }
    }

    /**
     * Meets the other workers.
     *
     * @param step the step of the cut; {@link #LOAD}
     * @param response makes the answer to the worker's call
     */
    <R> CompletionStage<R> meet(int worker, long step, Meeting.Part part, Function<Outcome, R> response) {
        requireKnown(worker);
        Gathering open = meeting;
        if (step == LOAD) {
            if (open == null || open.step() != LOAD) {
                abandon(reason != null ? reason : rolledBack(worker));
                open = null;
            }
        } else if (reason != null) {
            throw reason;
        }
        if (open != null && step > open.step() && join(step, Set.of(worker))) {
            next = next == null ? gathering(step) : next;
            return next.workers().add(worker, part, response);
        } else if (open != null
                && step < open.step()
                && join(open.step(), open.workers().workers())) {
            next = open;
            open = null;
        }
        if (open != null && open.step() != step) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "cut of worker " + worker + ": after step " + step + " (expected: after step " + open.step()
                            + ", where the others are; all workers have the same number of steps and the same interval)");
        }
        if (open == null) {
            open = gathering(step);
            meeting = open;
        }
        CompletionStage<R> answer = open.workers().add(worker, part, response);
        check();
        return answer;
    }

    private Gathering gathering(long step) {
        return step == LOAD
                ? new Gathering(step, new Meeting("load of a checkpoint", this::load))
                : new Gathering(step, new Meeting("cut after step " + step, all -> cut(step, all)));
    }

    /** Saves for the workers that have come to a cut. */
    private CompletionStage<Outcome> cut(long step, Meeting all) {
        boolean last = all.isLast();
        int[] workers = all.ranks();
        boolean joined = step > 0 && Arrays.stream(workers).anyMatch(worker -> join(step, Set.of(worker)));
        List<RecordEntry> entries = new ArrayList<>(all.entries());
        left.forEach((worker, record) -> {
            if (!all.workers().contains(worker)) {
                entries.addAll(record);
            }
        });
        return Stages.begun(() -> work.cut(all, step, entries, last || step >= steps))
                .thenCompose(saved -> joined
                        ? work.restart(workers, false, all::isAwaited).thenApply(begun -> saved)
                        : CompletableFuture.completedFuture(saved))
                .whenComplete((saved, failure) -> end(all, step, step, failure))
                .thenApply(saved -> Outcome.saved(saved, last));
    }

    /** Loads for the workers that have come to go back. */
    private CompletionStage<Outcome> load(Meeting all) {
        return Stages.begun(() -> work.load(all, Outcome.NONE, all.ranks()))
                .thenApply(loaded -> {
                    if (loaded.step() == Outcome.NONE) {
                        throw new PsException(
                                PsException.Code.ROLLED_BACK,
                                "checkpoints of model \"" + model
                                        + "\" to go back to: none (expected: a complete one)");
                    }
                    return loaded;
                })
                .whenComplete((loaded, failure) -> end(all, LOAD, loaded == null ? LOAD : loaded.step(), failure));
    }

    /** True if workers join the others at the cut after a step. */
    private boolean join(long step, Set<Integer> workers) {
        return workers.stream().allMatch(each -> {
            Place place = places.get(each);
            return place != null && place.first() == step;
        });
    }

    private static PsException rolledBack(int worker) {
        return new PsException(
                PsException.Code.ROLLED_BACK,
                "worker " + worker + ": goes back to the newest checkpoint (expected: all workers of the loop do)");
    }

    private void check() {
        Gathering open = meeting;
        if (open != null) {
            Map<Integer, Boolean> counted = new TreeMap<>();
            places.forEach((worker, place) -> {
                if (open.step() == LOAD || place.first() <= open.step()) {
                    counted.put(worker, place.first() > 0 && place.first() == open.step());
                }
            });
            open.workers().check(counted, present.get());
        }
    }

    /**
     * Ends a meeting.
     *
     * @param outcome the step that the workers go on from
     */
    private void end(Meeting all, long step, long outcome, @Nullable Throwable failure) {
        if (meeting == null || meeting.workers() != all) {
            return; // the workers went back meanwhile
        }
        meeting = next;
        next = null;
        if (failure != null) {
            return;
        }
        if (step == LOAD) {
            reason = null;
            cut = NONE;
            requested = false;
            places.replaceAll((rank, place) -> new Place(0, outcome));
        }
        stopped = begun && all.isLast();
        over = stopped || begun && (outcome >= steps || step >= steps);
        if (step == cut) {
            cut = NONE;
            requested = false;
        }
        last = System.nanoTime();
        left.keySet().removeAll(all.workers());
        endJoining();
        check();
    }

    /** Answers the workers that wait for a cut after the last one. */
    private void endJoining() {
        List<Joining> ended =
                joining.values().stream().filter(each -> isOver(each.until())).toList();
        joining.values().removeAll(ended);
        ended.forEach(each -> each.answer(EnterTraining.OVER, List.of()));
    }

    /** Fails what waits: the workers go back to a checkpoint. */
    void abandon(PsException why) {
        Gathering open = meeting;
        if (open != null && open.step() == LOAD) {
            return; // they are on their way
        }
        reason = why;
        Gathering later = next;
        meeting = null;
        next = null;
        left.clear();
        cut = NONE;
        if (open != null) {
            open.workers().fail(why);
        }
        if (later != null) {
            later.workers().fail(why);
        }
    }

    /** Learns which workers are present. */
    void retain(Set<Integer> now) {
        places.keySet().retainAll(now);
        joining.keySet().retainAll(now);
        departed.retainAll(now);
        over &= !now.isEmpty();
        check();
        if (places.isEmpty() && meeting != null && !meeting.workers().hasBegun()) {
            meeting = null;
        }
        release();
    }
}

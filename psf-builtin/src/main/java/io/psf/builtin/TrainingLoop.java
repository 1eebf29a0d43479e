package io.psf.builtin;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A training loop that takes checkpoints by itself, continues from the newest one when it is started again, and goes
 * back to it when a server or worker was lost and has come back.
 *
 * <pre>{@code
 * ModelCheckpoints.at(worker, "ctr")
 *         .everySteps(1000)
 *         .record(() -> Map.of("position", reader.position()), saved -> reader.seek(saved.get("position")))
 *         .run(steps, step -> train(step, reader.next()));
 * }</pre>
 *
 * <p>Every worker runs the loop, with the same number of steps and the same interval. A checkpoint is taken at a cut:
 * the workers meet between two steps, the servers copy their shards, and the training goes on while the servers write
 * the copies to the disk. So a checkpoint of step <i>n</i> has all pushes of the steps up to <i>n</i> and no others,
 * and each worker's record of that moment. The loop takes one before the first step, which is complete when that begins
 * unless it fails, and one after the last.
 *
 * <p>A save that fails is logged, and the training goes on; after three in a row the loop fails. If a save takes
 * longer than the interval, the cuts meanwhile are skipped.
 *
 * <p>A worker that has joined a running job begins at a cut, which is taken as soon as it comes, with the step that the
 * others have reached. No cut waits for a worker that ends its loop by an exception, nor for a lost worker, unless the
 * cluster expects it back ({@code PSF_WORKER_RETURN}): then the others wait for it, also after the last step, and go
 * back with it to the newest checkpoint. One that comes back when the others have ended returns at once.
 *
 * <p>Used by one thread, but for {@link #stop}.
 */
public final class TrainingLoop {
    private final ModelCheckpoints checkpoints;
    private final long everySteps;
    private final long everyMillis;
    private final Records records;
    private volatile boolean stopped;
    private volatile boolean leaving;

    /** How a worker's state is saved and restored. */
    private record Records(Supplier<Map<String, String>> save, Consumer<Map<String, String>> restore) {}

    /**
     * One step of the training.
     *
     * @param <E> what it may throw
     */
    @FunctionalInterface
    public interface Step<E extends Exception> {
        /**
         * Trains for a step. May be run again for the same step, after the workers have gone back to a checkpoint.
         *
         * @param step the number of the step, from 1
         * @throws E ends the loop of this worker
         */
        void run(long step) throws E;
    }

    private TrainingLoop(ModelCheckpoints checkpoints, long everySteps, long everyMillis, Records records) {
        this.checkpoints = checkpoints;
        this.everySteps = everySteps;
        this.everyMillis = everyMillis;
        this.records = records;
    }

    static TrainingLoop everySteps(ModelCheckpoints checkpoints, long steps) {
        if (steps < 1) {
            throw new IllegalArgumentException("steps between two checkpoints: " + steps + " (expected: >= 1)");
        }
        return new TrainingLoop(checkpoints, steps, 0, new Records(Map::of, saved -> {}));
    }

    static TrainingLoop every(ModelCheckpoints checkpoints, Duration interval) {
        if (interval.toMillis() < 1) {
            throw new IllegalArgumentException("time between two checkpoints: " + interval + " (expected: >= 1 ms)");
        }
        return new TrainingLoop(checkpoints, 0, interval.toMillis(), new Records(Map::of, saved -> {}));
    }

    /**
     * Returns the same loop, with a record of this worker in each checkpoint, such as its position in its data.
     *
     * @param save returns the record, at most 64 Ki characters; called between two steps
     * @param restore takes a record that {@code save} has returned on a worker of this rank: before the first step if a
     *     checkpoint was loaded that has one, and when the workers have gone back to a checkpoint
     */
    public TrainingLoop record(Supplier<Map<String, String>> save, Consumer<Map<String, String>> restore) {
        return new TrainingLoop(checkpoints, everySteps, everyMillis, new Records(save, restore));
    }

    /**
     * Stops the loop of all workers: after one of the next steps, the same for all, with a last checkpoint. Callable
     * from any thread, also within a step.
     */
    public void stop() {
        stopped = true;
    }

    /**
     * Ends the loop of this worker after the step that it does now; the others train on. The next checkpoint has its
     * {@link #record} as it is then, and a worker of this rank that enters the loop later continues from that. What
     * this worker has pushed since the last checkpoint stays, unless all workers go back to that. Callable from any
     * thread, also within a step. A worker whose configuration has {@code PSF_LEAVE_AT_EXIT} does it when its process
     * is told to end.
     */
    public void leave() {
        leaving = true;
    }

    /**
     * Trains. Loads the newest checkpoint first, if there is one, and goes on after its step. Every worker calls it,
     * with its tensors initialized. Blocks until the last checkpoint is complete.
     *
     * @param steps the number of the last step, at least 0, the same for all workers
     * @param body called for each step
     * @return the step that the loop has ended with: {@code steps}, or an earlier one after {@link #stop} or {@link
     *     #leave}
     * @throws E what the body throws
     * @throws io.psf.api.PsException as {@link ModelCheckpoints#loadLatest}; with {@code STORAGE} if the last save, or
     *     three saves in a row, have failed; with {@code ROLLED_BACK} if there is no checkpoint to go back to
     */
    public <E extends Exception> long run(long steps, Step<E> body) throws E {
        if (steps < 0) {
            throw new IllegalArgumentException("steps: " + steps + " (expected: >= 0)");
        }
        return new TrainingRun(this, steps).run(body);
    }

    ModelCheckpoints checkpoints() {
        return checkpoints;
    }

    long everyMillis() {
        return everyMillis;
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isLeaving() {
        return leaving;
    }

    /** True if there is a cut after a step, whatever the other workers want. */
    boolean hasCutAfter(long step) {
        return everySteps > 0 && step % everySteps == 0;
    }

    Map<String, String> save() {
        return records.save().get();
    }

    void restore(Map<String, String> saved) {
        records.restore().accept(saved);
    }
}

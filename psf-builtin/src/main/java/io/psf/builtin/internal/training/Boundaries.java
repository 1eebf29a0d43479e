package io.psf.builtin.internal.training;

import io.psf.api.Pending;
import io.psf.api.PsException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The boundaries between a worker's steps: the worker tells where it is, and reads the answer one boundary later. If
 * steps are short it does not tell at each.
 */
public final class Boundaries {
    /** The time between two calls. */
    private static final long APART = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long MOST_APART = 64;

    private final TrainingCalls calls;
    private final long steps;
    private final long everyMillis;
    private final BooleanSupplier isStopped;

    private @Nullable Pending<TellStep.Response> told;
    private boolean toldStop;
    /** The boundary at which the worker tells next. */
    private long next;
    /** The boundary and the time of the last call. */
    private long before;

    private long when;
    private long cut = -1;

    /**
     * Creates boundaries.
     *
     * @param steps the number of the last step
     * @param everyMillis the time between two cuts; 0 if the workers count their steps
     * @param isStopped true once this worker wants a last cut
     * @param from the step before the first one
     */
    public Boundaries(TrainingCalls calls, long steps, long everyMillis, BooleanSupplier isStopped, long from) {
        this.calls = calls;
        this.steps = steps;
        this.everyMillis = everyMillis;
        this.isStopped = isStopped;
        this.next = from;
        this.before = from;
        this.when = System.nanoTime() - APART;
    }

    /**
     * Returns the step of the next cut, as far as this worker knows it; -1 for none. Called at the end of each step.
     *
     * @throws PsException with {@code ROLLED_BACK} if the workers go back to a checkpoint
     */
    public long at(long step) {
        Pending<TellStep.Response> answer = told;
        if (answer != null) {
            told = null;
            cut = answer.await().cut();
        }
        boolean stop = isStopped.getAsBoolean();
        if (step == next) {
            long now = System.nanoTime();
            long nanos = Math.max(1, (now - when) / Math.max(1, step - before));
            next = step + Math.max(1, Math.min(MOST_APART, APART / nanos));
            before = step;
            when = now;
            told = calls.tell(next, steps, everyMillis, stop);
            toldStop = stop;
        } else if (stop && !toldStop) {
            told = calls.tell(next, steps, everyMillis, true);
            toldStop = true;
        }
        return cut;
    }

    /** Ends the call under way. Its outcome does not matter. */
    public void end() {
        Pending<TellStep.Response> answer = told;
        told = null;
        if (answer != null) {
            try {
                var unused = answer.await();
            } catch (PsException e) {
                return; // the caller begins anew
            }
        }
    }
}

package io.psf.builtin;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.builtin.internal.training.TellStep;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The boundaries between a worker's steps: the worker tells where it is, and reads the answer one boundary later. If
 * steps are short it does not tell at each.
 */
final class Boundaries {
    /** The time between two calls. */
    private static final long APART = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long MOST_APART = 64;

    private final TrainingCalls calls;
    private final TrainingLoop loop;
    private final long steps;

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
     * @param from the step before the first one
     */
    Boundaries(TrainingCalls calls, TrainingLoop loop, long steps, long from) {
        this.calls = calls;
        this.loop = loop;
        this.steps = steps;
        this.next = from;
        this.before = from;
        this.when = System.nanoTime() - APART;
    }

    /**
     * Returns the step of the next cut, as far as this worker knows it; -1 for none. Called at the end of each step.
     *
     * @throws PsException with {@code ROLLED_BACK} if the workers go back to a checkpoint
     */
    long at(long step) {
        Pending<TellStep.Response> answer = told;
        if (answer != null) {
            told = null;
            cut = answer.await().cut();
        }
        boolean stop = loop.isStopped();
        if (step == next) {
            long now = System.nanoTime();
            long nanos = Math.max(1, (now - when) / Math.max(1, step - before));
            next = step + Math.max(1, Math.min(MOST_APART, APART / nanos));
            before = step;
            when = now;
            told = calls.tell(next, steps, loop.everyMillis(), stop);
            toldStop = stop;
        } else if (stop && !toldStop) {
            told = calls.tell(next, steps, loop.everyMillis(), true);
            toldStop = true;
        }
        return cut;
    }

    /** Ends the call under way. Its outcome does not matter. */
    void end() {
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

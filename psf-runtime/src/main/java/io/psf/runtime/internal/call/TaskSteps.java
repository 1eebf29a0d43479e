package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the changes of one attempt of a task, in the order in which they are sent. A server counts a step as run that
 * is {@link #WINDOW} or more below the highest one that it has run. So a step is sent only after the step that many
 * before it has succeeded everywhere: a later attempt still runs a failed step. Thread-safe.
 */
public final class TaskSteps {
    /** The number of steps that a slice knows one by one: its highest step, and the steps below it. */
    public static final int WINDOW = 64;

    private final long task;
    private final BooleanSupplier mayDiffer;
    private final int attempt = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
    /**
     * By {@link TaskStep#place}: the last step that has succeeded there. A step is entered {@link #WINDOW} steps later.
     */
    private final Map<Long, Integer> known = new ConcurrentHashMap<>();

    // Guarded by this.
    private final @Nullable Call<?>[] latest = new Call<?>[WINDOW];
    private int last;
    private boolean differs;
    private @Nullable PsException failure;
    private int failed;

    /**
     * Creates the steps of an attempt.
     *
     * @param task the number of the task, not 0
     * @param mayDiffer asked at each step until it is true: other attempts may make other changes
     */
    public TaskSteps(long task, BooleanSupplier mayDiffer) {
        if (task == 0) {
            throw new IllegalArgumentException("task: 0 (expected: another number)");
        }
        this.task = task;
        this.mayDiffer = mayDiffer;
    }

    /** Returns a step that has no number yet. */
    public TaskStep step() {
        return new TaskStep(task, known);
    }

    /**
     * Prepares and sends a call as the next step. Blocks while {@link #WINDOW} steps are under way.
     *
     * @throws PsException the failure of the preparation; the failure of the earlier step without which no further one
     *     is sent
     */
    public synchronized <R> Call<R> send(Function<TaskStep, Call<R>> prepare, Consumer<Call<R>> start) {
        TaskStep step = step();
        int number = begin(step);
        Call<R> call;
        try {
            call = prepare.apply(step);
        } catch (PsException e) {
            fail(number, e);
            throw e;
        }
        latest[number % WINDOW] = call;
        start.accept(call);
        return call;
    }

    /** Sends a call that was prepared as a step, as the next one. Blocks while {@link #WINDOW} steps are under way. */
    public synchronized void send(Call<?> prepared, TaskStep step, Runnable start) {
        latest[begin(step) % WINDOW] = prepared;
        start.run();
    }

    private int begin(TaskStep step) {
        int number = next();
        differs = differs || mayDiffer.getAsBoolean();
        step.begin(number, differs ? -attempt : attempt);
        return number;
    }

    /** Skips a step whose call could not be prepared. */
    public synchronized void skip(PsException why) {
        fail(next(), why);
    }

    /** Returns the number of the next step. */
    private int next() {
        if (last == Integer.MAX_VALUE) {
            throw new PsException(
                    Code.RESOURCE_EXHAUSTED, "steps of a task: " + last + " (expected: fewer; use further tasks)");
        }
        int next = last + 1;
        Call<?> before = latest[next % WINDOW];
        if (before != null) {
            settle(before, next - WINDOW);
        }
        PsException why = failure;
        if (why != null && next - failed >= WINDOW) {
            throw new PsException(
                    why.code(),
                    "step " + next + " of a task: not sent, since step " + failed
                            + " has failed (expected: the task is run again, by another caller): " + why.detail(),
                    why);
        }
        latest[next % WINDOW] = null;
        last = next;
        return next;
    }

    /**
     * Blocks until all steps have ended.
     *
     * @throws PsException the failure of the first of them that failed
     */
    public synchronized void await() {
        for (int number = Math.max(1, last - WINDOW + 1); number <= last; number++) {
            Call<?> call = latest[number % WINDOW];
            if (call != null) {
                settle(call, number);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void settle(Call<?> call, int number) {
        call.awaitEnd();
        PsException why = call.failure();
        if (why != null) {
            fail(number, why);
            return;
        }
        CallParts<?> parts = call.parts();
        for (int part = 0; part < parts.count(); part++) {
            known.merge(TaskStep.place(parts, part), number, Math::max);
        }
    }

    private void fail(int number, PsException why) {
        if (failure == null || number < failed) {
            failure = why;
            failed = number;
        }
    }
}

package io.psf.runtime.internal.call;

import io.psf.runtime.spi.transport.RequestHeader;
import java.util.Map;

/**
 * A step of a task: one call that changes something. It has its number from the time at which it is sent on. Its number
 * is written by one thread, before the call is sent.
 */
public final class TaskStep {
    private final long task;
    private final Map<Long, Integer> known;
    private int number;
    private int attempt;

    /**
     * Creates a step that has no number yet.
     *
     * @param known by {@link #place}: the last step that is known to have run there. Filled while the task goes on
     */
    TaskStep(long task, Map<Long, Integer> known) {
        this.task = task;
        this.known = known;
    }

    /**
     * Sets what the step has from the time at which it is sent on.
     *
     * @param attempt as in {@link RequestHeader.Step#attempt}
     */
    void begin(int number, int attempt) {
        this.number = number;
        this.attempt = attempt;
    }

    /** Returns the fields that are in front of a part of the call. */
    RequestHeader.Step header(CallParts<?> parts, int part) {
        int after = known.isEmpty() ? 0 : known.getOrDefault(place(parts, part), 0);
        return new RequestHeader.Step(task, number, after, attempt);
    }

    /** Returns the number of the slice that a part goes to. */
    static long place(CallParts<?> parts, int part) {
        RequestHeader.Target target = parts.target(part);
        return (long) target.tensor() << 32 | target.slice();
    }
}

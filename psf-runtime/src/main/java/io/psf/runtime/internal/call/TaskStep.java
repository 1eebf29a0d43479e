package io.psf.runtime.internal.call;

import io.psf.runtime.spi.transport.RequestHeader;

/**
 * A step of a task: one call that changes something. It has its number from the time at which it is sent on. Its number is
 * written by one thread, before the call is sent.
 */
public final class TaskStep {
    private final TaskSteps of;
    private int number;

    TaskStep(TaskSteps of) {
        this.of = of;
    }

    void setNumber(int number) {
        this.number = number;
    }

    /** Returns the fields that are in front of a part of the call. */
    RequestHeader.Step header(CallParts<?> parts, int part) {
        return new RequestHeader.Step(of.task(), number, of.known(parts.target(part)));
    }
}

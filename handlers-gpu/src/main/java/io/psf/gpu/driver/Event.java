package io.psf.gpu.driver;

import static jcuda.driver.CUevent_flags.CU_EVENT_BLOCKING_SYNC;
import static jcuda.driver.CUevent_flags.CU_EVENT_DEFAULT;
import static jcuda.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING;

import jcuda.driver.CUevent;
import jcuda.driver.JCudaDriver;

/** A point in a stream's work, which another stream or the host waits for. */
public final class Event implements AutoCloseable {
    private final CUevent event = new CUevent();

    private Event(int flags) {
        Cuda.check(JCudaDriver.cuEventCreate(event, flags), "event");
    }

    /** Creates an event. */
    public static Event create() {
        return new Event(CU_EVENT_DISABLE_TIMING);
    }

    /** Creates an event for which a thread waits without using its processor. */
    static Event blocking() {
        return new Event(CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC);
    }

    /** Creates an event that measures time. */
    public static Event timed() {
        return new Event(CU_EVENT_DEFAULT);
    }

    CUevent event() {
        return event;
    }

    /** Blocks until the work before the event has ended. Returns at once if it was never recorded. */
    public void await() {
        Cuda.check(JCudaDriver.cuEventSynchronize(event), "event");
    }

    /** Returns the milliseconds from another timed event to this one. Both have occurred. */
    public float millisSince(Event earlier) {
        float[] millis = new float[1];
        Cuda.check(JCudaDriver.cuEventElapsedTime(millis, earlier.event, event), "time between events");
        return millis[0];
    }

    @Override
    public void close() {
        JCudaDriver.cuEventDestroy(event);
    }
}

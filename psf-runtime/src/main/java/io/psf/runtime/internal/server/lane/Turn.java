package io.psf.runtime.internal.server.lane;

/** A call, or a chain of calls, that waits for its lane as one piece of work. */
public interface Turn extends Runnable {
    /** Returns the number of its calls. */
    int calls();

    /** Returns one of its calls. */
    OrderedCall call(int i);
}

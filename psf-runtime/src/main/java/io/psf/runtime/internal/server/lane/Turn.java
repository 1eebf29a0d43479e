package io.psf.runtime.internal.server.lane;

import java.util.Set;

/** A call, or a chain of calls of one source, that waits for its lane as one piece of work. */
public interface Turn extends Runnable {
    /** Returns the first of its calls. */
    OrderedCall first();

    /** Returns the orders that its calls keep, each once. */
    Set<CallOrder> orders();
}

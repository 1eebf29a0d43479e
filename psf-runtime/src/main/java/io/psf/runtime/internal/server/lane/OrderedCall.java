package io.psf.runtime.internal.server.lane;

import io.psf.api.PsException;
import org.jspecify.annotations.Nullable;

/** A call as {@link CallOrder} sees it. What its order depends on never changes. */
public interface OrderedCall extends Runnable {
    /** Returns where the call comes from. */
    CallSource source();

    /** Returns its number among the calls of its source, in the order sent. */
    long arrival();

    /** Returns the order that the call keeps with the others of its source, by identity; null if it keeps none. */
    @Nullable
    CallOrder order();

    /** Returns the call before it in its chain; null for none. */
    @Nullable
    Completion before();

    /**
     * True if a call that keeps no order may run now.
     *
     * @param again run later, if this returns false
     */
    boolean mayRun(Runnable again);

    /** Calls the handler, on the lane. */
    void serve();

    /** Answers with an error instead. Called on the lane. */
    void refuse(PsException why);
}

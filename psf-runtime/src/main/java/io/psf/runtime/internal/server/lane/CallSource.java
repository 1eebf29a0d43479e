package io.psf.runtime.internal.server.lane;

/** Where calls come from: a connection. Thread-safe. */
public interface CallSource {
    /** True until the source has ended; then its calls do not run any more. */
    boolean isOpen();

    /**
     * True if the source has taken enough of its answers for another call to run.
     *
     * @param again run later, if this returns false
     */
    boolean mayRun(Runnable again);
}

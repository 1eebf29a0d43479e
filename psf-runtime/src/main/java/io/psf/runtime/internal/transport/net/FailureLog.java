package io.psf.runtime.internal.transport.net;

import io.psf.api.Names;
import io.psf.runtime.internal.log.LogLimiter;
import io.psf.runtime.spi.transport.FullHeap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs failures, as errors at most once a minute. Thread-safe. */
final class FailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

    private final LogLimiter limiter = new LogLimiter();
    private final Runnable onError;

    /**
     * Creates a log.
     *
     * @param onError called if a failure could not be logged, for example for lack of memory
     */
    FailureLog(Runnable onError) {
        this.onError = onError;
    }

    /** Logs a failure. Never fails itself, not even for lack of memory. */
    void report(String what, Throwable failure) {
        FullHeap.report(failure);
        try {
            if (limiter.allows()) {
                LOG.error(
                        "{} failed; for a minute, further failures are logged at debug level",
                        what,
                        Names.printable(failure));
            } else {
                LOG.debug("{} failed", what, Names.printable(failure));
            }
        } catch (Error e) { // logging needs memory, too
            onError.run();
        }
    }
}

package io.psf.api;

import java.util.Optional;

/**
 * Implemented by a {@link PsHandler} class that cannot run on every node, such as a class that needs an accelerator. A
 * server calls {@link #unavailable} once, when the server starts and has just created the handler. If the handler is
 * not available, the handler of the next lower preference serves the function. The server logs the skipped handler and
 * the reason.
 *
 * <p>A class that cannot be loaded because a library is missing does not need this interface: a {@link LinkageError}
 * from the handler's constructor or from {@link #unavailable} also counts as not available.
 */
public interface Available {
    /** Returns the reason, for the log, why the handler cannot run on this node; empty if it can run. */
    Optional<String> unavailable();
}

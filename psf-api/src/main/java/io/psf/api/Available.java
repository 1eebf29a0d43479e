package io.psf.api;

import java.util.Optional;

/**
 * Implemented by a {@link PsHandler} class that cannot run everywhere, such as one that needs an accelerator. A server asks
 * once, when it starts and has just made the handler. A handler that is not available leaves its function to the one of
 * the next lower preference; the server logs which, and why.
 *
 * <p>A class that cannot even be loaded, because a library is missing, need not say so: a {@link LinkageError} while the
 * handler is made or asked counts as not available, too.
 */
public interface Available {
    /** Why the handler cannot run on this node, for the log; empty if it can. */
    Optional<String> unavailable();
}

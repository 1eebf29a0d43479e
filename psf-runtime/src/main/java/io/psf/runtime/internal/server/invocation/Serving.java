package io.psf.runtime.internal.server.invocation;

import io.psf.api.Caller;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.server.session.Connection;
import org.jspecify.annotations.Nullable;

/** The call being answered, as the node or shard sees it while the handler runs. Used on the lane. */
public interface Serving {
    /** Returns the call being answered. Fails if there is none. */
    static Serving require(@Nullable Serving serving) {
        if (serving == null) {
            throw new IllegalStateException(
                    "call being answered: none (expected: asked for within handle, on its thread, before it returns)");
        }
        return serving;
    }

    /** Returns the function that is handled. */
    FunctionInfo function();

    /** Returns the connection that the call came over. */
    Connection connection();

    /** Returns the caller with which the handler makes calls for this one. */
    Caller caller();

    /** Releases the request: the handler does not read it any more. */
    void releaseRequest();

    /** Returns the function if it is read-only; null for another, or if no call is being answered. */
    static @Nullable String reading(@Nullable Serving serving) {
        return serving != null && serving.function().readOnly()
                ? serving.function().name()
                : null;
    }
}

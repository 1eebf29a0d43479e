package io.psf.runtime.internal.server.invocation;

import io.psf.api.spi.Function;
import io.psf.runtime.internal.call.Call;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Sends the calls of a server's own handlers. Implemented by the part that knows the cluster. Thread-safe. */
public interface Outgoing {
    /**
     * Sends a call, without ever blocking the calling thread: at once if the servers are known and connected, otherwise
     * after they have been found.
     *
     * @param deadline when the call ends, as {@link System#nanoTime} counts
     * @param lane runs the code that reads the request, if that is deferred
     * @return the call once it has been sent, or the reason why it could not be sent
     */
    <Q, R> CompletableFuture<Call<R>> start(
            Function<Q, R> function, Q request, @Nullable R into, long deadline, int priority, Executor lane);
}

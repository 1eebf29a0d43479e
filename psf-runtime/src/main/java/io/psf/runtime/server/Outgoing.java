package io.psf.runtime.server;

import io.psf.api.spi.Function;
import io.psf.runtime.call.Call;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The calls of a server's own handlers, on their way out. What knows the cluster implements it. Thread-safe. */
public interface Outgoing {
    /**
     * Sends a call, without ever blocking the calling thread: now if the servers concerned are known and connected,
     * later if they have to be found first.
     *
     * @param deadline when the call ends, as {@link System#nanoTime} counts
     * @param lane runs what reads the request, if that is not done now
     * @return the call once it has been sent, or why it could not be
     */
    <Q, R> CompletableFuture<Call<R>> send(
            Function<Q, R> function, Q request, @Nullable R into, long deadline, int priority, Executor lane);
}

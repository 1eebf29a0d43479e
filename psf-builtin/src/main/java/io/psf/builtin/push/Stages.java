package io.psf.builtin.push;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.spi.StoredNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Stages of work that a server does for its callers. */
public final class Stages {
    /** The time after which a server that was not reached is called again. */
    private static final Duration AGAIN = Duration.ofMillis(100);

    private Stages() {}

    /** Returns why a stage has failed, without the exceptions that stages wrap it in. */
    public static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? cause(failure.getCause())
                : failure;
    }

    /** Begins work, which may fail at once. */
    public static <T> CompletionStage<T> begun(Supplier<CompletionStage<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) { // passed on to the caller
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Calls servers, again while one of them is not reached, unless it is lost for good.
     *
     * @param node the server that calls, on its lane
     * @param isWanted false once nobody waits for the answer; then the last failure is the result
     * @return completed on the node's lane
     */
    public static <R> CompletionStage<R> reached(StoredNode node, BooleanSupplier isWanted, Supplier<Pending<R>> call) {
        CompletableFuture<R> reached = new CompletableFuture<>();
        reach(node, isWanted, call, reached);
        return reached;
    }

    private static <R> void reach(
            StoredNode node, BooleanSupplier isWanted, Supplier<Pending<R>> call, CompletableFuture<R> reached) {
        var unused = begun(() -> call.get().toCompletableFuture()).whenComplete((answer, failure) -> {
            if (failure == null) {
                reached.complete(answer);
            } else if (cause(failure) instanceof PsException known
                    && known.code() == PsException.Code.UNAVAILABLE
                    && node.hasAllServers()
                    && isWanted.getAsBoolean()) {
                var unusedTimer = node.after(AGAIN, () -> reach(node, isWanted, call, reached));
            } else {
                reached.completeExceptionally(cause(failure));
            }
        });
    }
}

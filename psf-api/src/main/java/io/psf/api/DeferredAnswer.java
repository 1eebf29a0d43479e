package io.psf.api;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * An answer that a handler completes later, and that says why it is not complete yet. A handler returns it as any other
 * stage. If the deadline of the call passes first, the caller's {@code TIMED_OUT} has that reason, such as the workers
 * that have not pushed. For the reason to arrive in time, the server ends such a call before its deadline: by an eighth
 * of the call's time, at most by half a second.
 *
 * <p>Completed on the lane of the shard or node, as any answer.
 */
public final class DeferredAnswer<R> extends CompletableFuture<R> {
    private final Supplier<String> waitsFor;

    /**
     * Creates an answer that is not complete.
     *
     * @param waitsFor returns the reason as a message {@code what: value (expected: ..)}; empty if none is known. Runs
     *     on the lane, at most once for each call, and only if the call times out
     */
    public DeferredAnswer(Supplier<String> waitsFor) {
        this.waitsFor = Objects.requireNonNull(waitsFor, "waitsFor");
    }

    /** Returns the reason why the answer is not complete; empty if none is known. Called on the lane. */
    public String waitsFor() {
        return waitsFor.get();
    }
}

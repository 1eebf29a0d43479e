package io.psf.api;

import java.util.Objects;
import java.util.Set;
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
    private final Reason reason;

    /** Why an answer is not complete. Its methods run on the lane. */
    @FunctionalInterface
    public interface Reason {
        /** Returns the reason as a message {@code what: value (expected: ..)}; empty if none is known. */
        String text();

        /** Returns the ranks of the workers that the answer waits for; empty if they are not known. */
        default Set<Integer> workers() {
            return Set.of();
        }

        /** Returns a reason that knows the workers. */
        static Reason of(Supplier<String> text, Supplier<? extends Set<Integer>> workers) {
            return new Reason() {
                @Override
                public String text() {
                    return text.get();
                }

                @Override
                public Set<Integer> workers() {
                    return workers.get();
                }
            };
        }
    }

    /**
     * Creates an answer that is not complete.
     *
     * @param reason asked if the call times out, and when somebody looks at what the calls of the node wait for
     */
    public DeferredAnswer(Reason reason) {
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /** Returns the reason why the answer is not complete. */
    public Reason reason() {
        return reason;
    }
}

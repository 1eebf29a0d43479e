package io.psf.runtime.internal.server.invocation;

import io.psf.api.CallInfo;
import io.psf.api.DeferredAnswer;
import io.psf.api.Intercepted;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Binding;
import io.psf.api.spi.TupleReader;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decodes a request and calls its handler. Stateless. */
final class HandlerCall {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerCall.class);

    private HandlerCall() {}

    /**
     * Calls the handler of a request, on the lane, through the interceptors if there are any.
     *
     * @param on the node or shard
     * @param serving the call that the handler may make calls for
     * @return the response, or the stage of one
     * @throws PsException with {@code HANDLER_FAILED} if the handler returns null; with {@code RESOURCE_EXHAUSTED} if
     *     the handler answers later, and too many calls of the peer wait
     */
    static <Q, R> Object run(
            Binding<Q, R> binding, HeldRequest request, CallTarget on, CallInfo call, Invocation serving) {
        if (binding.kind().later()) {
            on.environment().deferred().requireRoom(serving);
        }
        Object answer;
        try {
            Q tuple = read(binding, request, on);
            on.begin(call, serving);
            List<TensorId> others =
                    on.tensor() == null ? List.of() : binding.function().others(tuple);
            if (!others.isEmpty()) {
                on.meet(others, on.lane().reader());
            }
            answer = invoke(binding, tuple, on, call);
        } finally {
            on.end();
        }
        if (answer == null) {
            throw new PsException(
                    PsException.Code.HANDLER_FAILED,
                    "answer of " + Failures.name(binding) + ": null (expected: a response)");
        }
        return answer;
    }

    /** Tells how long the handler of a request took, and its call waited, in nanoseconds. */
    static void ended(CallTarget on, Invocation request, long begin, long waited) {
        HandlerCost cost = on.cost();
        CallEnvironment environment = on.environment();
        if (cost == null && !environment.isHeard()) {
            return;
        }
        long took = System.nanoTime() - begin;
        if (cost != null) {
            cost.took(took);
        }
        if (environment.isHeard()) {
            environment.tellHandled(request.part(), waited, took);
        }
    }

    /** True if a handler changes nothing, answers at once, and nobody but its answer reads what it returns. */
    static boolean onlyReads(Binding<?, ?> binding, CallTarget on) {
        return binding.function().info().readOnly()
                && !binding.kind().later()
                && !on.environment().isIntercepted();
    }

    private static <Q, R> Q read(Binding<Q, R> binding, HeldRequest held, CallTarget on) {
        TupleReader reader = held.request().reader(on.lane().reader(), tensor(on));
        reader.countIn(held);
        try {
            return binding.function().read(reader);
        } catch (IllegalArgumentException e) { // a record's own check of its components
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        } finally {
            reader.settle();
        }
    }

    private static @Nullable TensorId tensor(CallTarget on) {
        TensorInfo tensor = on.tensor();
        return tensor == null ? null : tensor.id();
    }

    private static <Q, R> Object invoke(Binding<Q, R> binding, Q tuple, CallTarget on, CallInfo call) {
        Object handled = on.handled();
        if (!on.environment().isIntercepted()) {
            return binding.handle(tuple, handled);
        }
        Intercepted seen = new Intercepted(binding.function().info().name(), tensor(on), call, tuple);
        return on.environment().intercepted(seen, () -> binding.handle(tuple, handled));
    }

    /**
     * Returns the result of a stage; null if it is not complete, or has failed. Only a plain future and a
     * {@link DeferredAnswer} are queried: another subclass may not support it, such as the subclass of
     * {@code minimalCompletionStage}.
     */
    static <R> @Nullable R now(CompletionStage<R> stage) {
        return (stage.getClass() == CompletableFuture.class || stage.getClass() == DeferredAnswer.class)
                        && stage instanceof CompletableFuture<R> future
                        && future.isDone()
                        && !future.isCompletedExceptionally()
                ? future.join()
                : null;
    }

    /**
     * Completes a handler's stage, if any, so that the work behind it may stop. A stage without support for it is left.
     */
    static void end(Binding<?, ?> binding, @Nullable CompletionStage<?> stage, PsException why) {
        if (stage == null) {
            return;
        }
        try {
            stage.toCompletableFuture().completeExceptionally(why);
        } catch (Throwable e) { // unsupported, or thrown by a user's callback
            LOG.debug("a stage of {} cannot be completed", Failures.name(binding), Names.printable(e));
        }
    }
}

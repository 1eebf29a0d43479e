package io.psf.runtime.server;

import io.psf.api.CallInfo;
import io.psf.api.DeferredAnswer;
import io.psf.api.Intercepted;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Frame;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decodes a request, calls its handler, and encodes the response; names what fails. Stateless. */
final class HandlerCall {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerCall.class);

    private static final int NO_MEMORY_TRIALS = 100;

    private HandlerCall() {}

    /**
     * Calls the handler of a request, on the lane, through the interceptors if there are any.
     *
     * @param serving the invocation that the handler may make calls for
     * @return the response, or the stage of one
     * @throws PsException with {@code HANDLER_FAILED} if the handler returns null
     */
    static <Q, R> Object run(Binding<Q, R> binding, Frame request, Place place, CallInfo call, Invocation serving) {
        Object answer;
        LaneShard shard = place.shard();
        try {
            Q tuple = read(binding, request, place);
            if (shard != null) {
                shard.begin(call, serving.reading(), serving);
                List<TensorId> others = binding.function().others(tuple);
                if (!others.isEmpty()) {
                    shard.meet(others, place.lane().reader());
                }
                answer = invoke(binding, tuple, place, shard.shard(), call);
            } else {
                place.node().begin(call, serving);
                answer = invoke(binding, tuple, place, place.node(), call);
            }
        } finally {
            if (shard != null) {
                shard.end();
            } else {
                place.node().end();
            }
        }
        if (answer == null) {
            throw new PsException(
                    PsException.Code.HANDLER_FAILED, "answer of " + name(binding) + ": null (expected: a response)");
        }
        return answer;
    }

    private static <Q, R> Q read(Binding<Q, R> binding, Frame request, Place place) {
        try {
            return binding.function().read(request.reader(place.lane().reader(), tensor(place)));
        } catch (IllegalArgumentException e) { // a record's own check of its components
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }

    private static @Nullable TensorId tensor(Place place) {
        LaneShard shard = place.shard();
        return shard == null ? null : shard.spec().id();
    }

    private static <Q, R> Object invoke(Binding<Q, R> binding, Q tuple, Place place, Object target, CallInfo call) {
        HostNode node = place.node();
        if (!node.isIntercepted()) {
            return binding.handle(tuple, target);
        }
        Intercepted seen = new Intercepted(binding.function().info().name(), tensor(place), call, tuple);
        return node.intercepted(seen, () -> binding.handle(tuple, target));
    }

    /**
     * Returns the result of a stage; null if it is not complete, or has failed. Only a plain future and a
     * {@link DeferredAnswer} are queried: another subclass may not support it, such as that of
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

    /** Returns the failure of a stage, without the wrapper of a future. */
    static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Returns the failure of a call that ends before its handler's stage; of a timeout, with the reason if it is known. */
    static PsException explained(PsException why, @Nullable CompletionStage<?> stage) {
        if (why.code() != PsException.Code.TIMED_OUT || !(stage instanceof DeferredAnswer<?> deferred)) {
            return why;
        }
        try {
            String waitsFor = deferred.waitsFor();
            return waitsFor.isEmpty() ? why : new PsException(why.code(), waitsFor);
        } catch (RuntimeException e) { // of a user's code
            LOG.warn("the reason why an answer is not complete", e);
            return why;
        }
    }

    /** Completes a handler's stage, if any, so that the work behind it may stop. A stage without support for it is left. */
    static void end(Binding<?, ?> binding, @Nullable CompletionStage<?> stage, PsException why) {
        if (stage == null) {
            return;
        }
        try {
            stage.toCompletableFuture().completeExceptionally(why);
        } catch (Throwable e) { // unsupported, or thrown by a user's callback
            LOG.debug("a stage of {} cannot be completed", name(binding), e);
        }
    }

    /** Encodes a response. */
    static <R> void write(Binding<?, R> binding, R response, Place place, TupleWriter writer) {
        LaneShard shard = place.shard();
        writer.ofTensor(shard == null ? null : shard.spec());
        try {
            binding.function().writeAnswer(response, writer);
        } catch (NullPointerException e) {
            throw Nulls.named(response, PsException.Code.HANDLER_FAILED, e);
        } catch (IllegalArgumentException e) {
            throw LoneSurrogates.named(response, PsException.Code.HANDLER_FAILED, e);
        }
    }

    /** Returns what a handler threw as the error that the caller gets. */
    static PsException failure(Binding<?, ?> binding, Throwable thrown) {
        if (thrown instanceof PsException known) {
            return new PsException(known.code(), detail(binding.function().info(), known), known.getCause());
        }
        PsException.Code code = thrown instanceof OutOfMemoryError
                ? PsException.Code.RESOURCE_EXHAUSTED
                : PsException.Code.HANDLER_FAILED;
        return new PsException(code, name(binding) + " threw " + thrown);
    }

    /** Returns a failure's message. Adds the place if it is the failure of a call that the handler made. */
    private static String detail(FunctionInfo function, PsException failure) {
        boolean elsewhere = failure.function() != null && !failure.function().equals(function.name());
        return elsewhere
                ? String.valueOf(failure.getMessage())
                        .substring(failure.code().name().length() + 2)
                : failure.detail();
    }

    /** Answers a failed call. If there is no memory for that, tries again for a second. */
    static void oncePossible(Runnable answer) {
        for (int i = 1; ; i++) {
            try {
                answer.run();
                return;
            } catch (OutOfMemoryError e) {
                if (i == NO_MEMORY_TRIALS) {
                    throw e;
                }
                LockSupport.parkNanos(Lane.NO_MEMORY_NANOS);
            }
        }
    }

    /** Returns the failure of a request that follows a failed one in its chain. */
    static PsException afterFailed(PsException before) {
        PsException first = before.getCause() instanceof PsException cause ? cause : before;
        return new PsException(
                PsException.Code.CANCELLED,
                "not run, since a call before it in the chain failed: " + first.code() + ": " + first.detail(),
                first);
    }

    /** Returns the handler's class, or the function's interface if its default body handles the calls. */
    static String name(Binding<?, ?> binding) {
        Class<?> type = binding.handler().getClass();
        return type.isAnonymousClass() && type.getInterfaces().length == 1
                ? type.getInterfaces()[0].getName()
                : type.getName();
    }
}

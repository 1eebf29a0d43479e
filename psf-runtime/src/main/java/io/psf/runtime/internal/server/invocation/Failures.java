package io.psf.runtime.internal.server.invocation;

import io.psf.api.DeferredAnswer;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.server.lane.Completion;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.FullHeap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The error that a call fails with, and the frame that carries it. Stateless. */
public final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private static final int NO_MEMORY_TRIALS = 100;

    private Failures() {}

    /** Returns the failure of a stage, without the wrapper of a future. */
    static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /**
     * Returns the failure of a call that ends before its handler's stage; of a timeout, with the reason if it is known.
     */
    static PsException explained(PsException why, @Nullable CompletionStage<?> stage) {
        if (why.code() != PsException.Code.TIMED_OUT || !(stage instanceof DeferredAnswer<?> deferred)) {
            return why;
        }
        try {
            String waitsFor = deferred.reason().text();
            return waitsFor.isEmpty() ? why : new PsException(why.code(), waitsFor);
        } catch (RuntimeException e) { // of a user's code
            LOG.warn("the reason why an answer is not complete", Names.printable(e));
            return why;
        }
    }

    /** Returns what a handler threw as the error that the caller gets. */
    static PsException failure(Binding<?, ?> binding, Throwable thrown) {
        if (thrown instanceof Refused refused) {
            return refused.why();
        }
        if (thrown instanceof PsException known) {
            return new PsException(known.code(), detail(binding.function().info(), known), known.getCause());
        }
        PsException.Code code =
                FullHeap.lack(thrown) == null ? PsException.Code.HANDLER_FAILED : PsException.Code.RESOURCE_EXHAUSTED;
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

    /** A call that can be answered with an error. An object rather than a lambda, whose first use takes memory. */
    interface FailedCall {
        /** Answers with an error. */
        void fail(Throwable thrown);
    }

    /** Answers a failed call. If there is no memory for that, tries again for a second. */
    static void answer(FailedCall call, Throwable thrown) {
        for (int trial = 1; ; trial++) {
            try {
                call.fail(thrown);
                return;
            } catch (Error e) {
                if (FullHeap.lack(e) == null || trial == NO_MEMORY_TRIALS) {
                    throw e;
                }
                LockSupport.parkNanos(Lane.NO_MEMORY_NANOS);
            }
        }
    }

    /** Returns the failure of a request that follows a failed one in its chain. */
    public static PsException afterFailed(PsException before) {
        PsException first = before.getCause() instanceof PsException cause ? cause : before;
        return new PsException(
                PsException.Code.CANCELLED,
                "not run, since a call before it in the chain failed: " + first.code() + ": " + first.detail(),
                first);
    }

    /** Returns why the answer of a call is not needed any more; null if it may be needed. */
    static @Nullable PsException whyPointless(
            Connection connection, long call, @Nullable Completion before, boolean isDropped, boolean isLate) {
        PsException failedBefore = before == null ? null : before.failure();
        if (failedBefore != null) {
            return afterFailed(failedBefore);
        }
        if (connection.cancelled().has(call)) {
            return new PsException(PsException.Code.CANCELLED, "call: cancelled by its caller");
        }
        if (isDropped) {
            return dropped();
        }
        return isLate
                ? new PsException(PsException.Code.TIMED_OUT, "the deadline passed before the call was run")
                : null;
    }

    /** Returns the failure of a call on a shard whose tensor was cleared. */
    public static PsException dropped() {
        return new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared");
    }

    /**
     * Returns the answer to a failed request.
     *
     * @param thrown what the handler threw; a {@link Refused} if it was not called
     * @param failure the same as the error that the caller gets
     */
    static Frame frame(FramePool pool, Frame request, long call, Throwable thrown, PsException failure) {
        return thrown instanceof Refused
                ? Frames.refusal(pool, request, failure)
                : Frames.failure(pool, request, call, failure);
    }

    /** Returns the handler's class, or the function's interface if its default body handles the calls. */
    static String name(Binding<?, ?> binding) {
        Class<?> type = binding.handler().getClass();
        return type.isAnonymousClass() && type.getInterfaces().length == 1
                ? type.getInterfaces()[0].getName()
                : type.getName();
    }
}

package io.psf.runtime.internal.server.invocation;

import io.psf.api.DeferredAnswer;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Shard;
import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Routing;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.RequestHeader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The step of a task that a chain is. Its one call that changes something runs unless the shard has run that step of
 * that task: then it is answered with the empty response. A step has run once its call has succeeded.
 */
public final class ReceivedStep {
    /** The number of tasks whose steps a shard knows. */
    public static final int MOST_TASKS = Steps.MOST_TASKS;

    private final RequestHeader.Step header;
    /** True if the call that changes something has been found. */
    private boolean hasChange;

    private ReceivedStep(RequestHeader.Step header) {
        this.header = header;
    }

    /** Returns the step of a chain; null if it is none. */
    public static @Nullable ReceivedStep of(Frame chain) {
        RequestHeader.Step header = RequestHeader.Step.of(chain);
        return header.isNone() ? null : new ReceivedStep(header);
    }

    /**
     * Checks that a function that changes something may be a step.
     *
     * @throws PsException with {@code BAD_REQUEST} if it does not run on shards, or has a response with components,
     *     which could not be given again
     */
    public static void requireAllowed(FunctionInfo info) {
        if (info.place() != Place.SHARD) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "step of a task: \"" + info.name() + "\", which runs at " + info.place()
                            + " (expected: a function that runs on shards)");
        }
        if (!info.schema().endsWith(" -> ()")) {
            String schema = info.schema();
            throw new PsException(
                    Code.BAD_REQUEST,
                    "step of a task: \"" + info.name() + "\", which changes something and responds"
                            + schema.substring(schema.lastIndexOf(" -> ") + 3)
                            + " (expected: an empty response; use a push and then a pull)");
        }
    }

    /**
     * Returns a binding that runs a step once.
     *
     * @throws PsException with {@code BAD_REQUEST} if the function is not allowed in a step, or is the second one in it
     *     that changes something
     */
    public Binding<?, ?> once(Binding<?, ?> binding, Lane lane) {
        FunctionInfo info = binding.function().info();
        requireAllowed(info);
        if (header.task() == 0 || header.number() <= 0) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "step of a task: step " + header.number() + " of task " + header.task()
                            + " (expected: a step from 1 on, and a task other than 0)");
        }
        if (hasChange) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "step of a task: \"" + info.name() + "\" is the second function in it that changes something"
                            + " (expected: one)");
        }
        hasChange = true;
        return onceOf(binding, lane);
    }

    private <Q, R> Binding<Q, R> onceOf(Binding<Q, R> binding, Lane lane) {
        return new Binding<>(
                binding.function(),
                Binding.Kind.SHARD_LATER,
                binding.shard(),
                binding.handler(),
                (Q request, Shard shard) -> run(binding, request, shard, lane));
    }

    private <Q, R> CompletionStage<R> run(Binding<Q, R> binding, Q request, Shard shard, Lane lane) {
        Steps steps = Steps.of(shard);
        if (header.after() != 0 && !steps.hasRun(header.task(), header.after())) {
            throw new PsException(
                    Code.ROLLED_BACK,
                    "step " + header.number() + " of a task: the slice does not have step " + header.after()
                            + ", which had run (expected: the task is run again; the slice was loaded from a checkpoint,"
                            + " or " + Steps.MOST_TASKS + " other tasks have changed it)");
        }
        if (!steps.admits(header.task(), header.attempt())) {
            throw new PsException(
                    Code.OTHER_ATTEMPT,
                    "step " + header.number()
                            + " of a task: another attempt has changed the slice, and the two may make"
                            + " different changes (expected: the work is repeated from an earlier checkpoint; or rows"
                            + " that have the same order in each attempt)");
        }
        if (steps.hasRun(header.task(), header.number())) {
            return CompletableFuture.completedFuture(empty(binding.function(), request));
        }
        CompletionStage<?> first = steps.underWay(header.task(), header.number());
        return first == null
                ? runNow(binding, request, shard, lane)
                : join(first, empty(binding.function(), request), lane);
    }

    /** Returns the response of a function that has no components. */
    private static <Q, R> R empty(Function<Q, R> function, Q request) {
        return function.merge(request, Routing.overNodes(1), null).result();
    }

    private <Q, R> CompletionStage<R> runNow(Binding<Q, R> binding, Q request, Shard shard, Lane lane) {
        Object answer = binding.handle(request, shard);
        @SuppressWarnings("unchecked") // the binding's kind says which of the two it is
        CompletionStage<R> stage = binding.kind().later()
                ? (CompletionStage<R>) answer
                : answer == null ? null : CompletableFuture.completedFuture((R) answer);
        if (stage == null) {
            throw new PsException(
                    Code.HANDLER_FAILED, "answer of " + Failures.name(binding) + ": null (expected: a response)");
        }
        if (HandlerCall.now(stage) != null) {
            end(shard, true);
            return stage;
        }
        Steps.of(shard).begin(header.task(), header.number(), stage);
        boolean isHeard = false;
        try {
            stage.whenComplete(
                    (response, failure) -> lane.executeHere(() -> end(shard, failure == null && response != null)));
            isHeard = true;
        } finally {
            if (!isHeard) {
                end(shard, false);
            }
        }
        return stage;
    }

    /** The attachment is asked for again: a load replaces it. */
    private void end(Shard shard, boolean hasRun) {
        Steps.of(shard).end(header.task(), header.number(), hasRun);
    }

    /** Returns an answer with the outcome of the same step of another attempt, which is under way. */
    private <R> CompletionStage<R> join(CompletionStage<?> first, R response, Lane lane) {
        DeferredAnswer<R> answer = new DeferredAnswer<>(() -> "step " + header.number()
                + " of a task: under way for another attempt, whose handler has not answered (expected: its answer)");
        first.whenComplete((done, failure) -> lane.executeHere(() -> {
            if (failure != null) {
                answer.completeExceptionally(Failures.unwrapped(failure));
            } else if (done == null) {
                answer.completeExceptionally(
                        new PsException(Code.HANDLER_FAILED, "answer: null (expected: a response)"));
            } else {
                answer.complete(response);
            }
        }));
        return answer;
    }
}

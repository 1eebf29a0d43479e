package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;

/** Calls another function of the cluster, in every way that a handler can. */
@PsFunction("acceptance.call.on")
interface CallOn {
    enum How {
        /** Calls itself on every slice of the other tensor, so often. */
        AGAIN,
        /** Calls the function on servers, which calls the one on the owner of a key. */
        SERVERS,
        /** Calls the scheduler. */
        SCHEDULER,
        /** Waits for the answer. */
        AWAIT,
        /** Waits for a stage of the answer. */
        JOIN,
        /** Waits for the answer on a thread of its own. */
        BACKGROUND,
        /** Calls what never answers, for longer than its own call may take. */
        NEVER,
        /** Calls a function on a tensor that nobody made. */
        UNKNOWN,
        /** Calls what fails. */
        FAILING
    }

    record Request(TensorId tensor, TensorId other, int times, How how) {}

    record Response(@Reduce(SUM) int calls, @Reduce(SUM) int notOnLane) {
        Response plus(Response other) {
            return new Response(calls + other.calls, notOnLane + other.notOnLane);
        }
    }

    /** What {@link How#NEVER} waits for. */
    BlockingQueue<CompletableFuture<Silent.Response>> SILENT = new LinkedBlockingQueue<>();

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        Caller caller = shard.caller();
        TensorId there = slice.other();
        TensorId back = slice.tensor();
        return switch (slice.how()) {
            case AGAIN ->
                slice.times() == 0
                        ? CompletableFuture.completedFuture(new Response(1, 0))
                        : here(CallOnPsf.stub(caller).call(there, back, slice.times() - 1, slice.how()));
            case SERVERS ->
                CountTalliesPsf.stub(caller)
                        .call(slice.times(), there)
                        .toCompletableFuture()
                        .thenApply(tallies -> new Response(tallies.servers(), 0));
            case SCHEDULER ->
                NumberPsf.stub(caller)
                        .call()
                        .toCompletableFuture()
                        .thenApply(number -> new Response(number.number(), 0));
            case AWAIT ->
                CompletableFuture.completedFuture(
                        CallOnPsf.stub(caller).call(there, there, 0, How.AGAIN).await());
            case JOIN ->
                CompletableFuture.completedFuture(CallOnPsf.stub(caller)
                        .call(there, there, 0, How.AGAIN)
                        .toCompletableFuture()
                        .thenApply(answer -> answer)
                        .join());
            case BACKGROUND -> {
                Pending<Response> pending = CallOnPsf.stub(caller).call(there, there, 0, How.AGAIN);
                yield CompletableFuture.supplyAsync(pending::await);
            }
            case NEVER ->
                SilentPsf.stub(caller)
                        .withDeadline(Duration.ofHours(1))
                        .call(there)
                        .toCompletableFuture()
                        .thenApply(answer -> new Response(1, 0));
            case UNKNOWN -> here(CallOnPsf.stub(caller).call(TensorId.of("unknown"), there, 0, How.AGAIN));
            case FAILING ->
                FaultyPsf.stub(caller)
                        .call(there, Faulty.Fault.EXCEPTION)
                        .toCompletableFuture()
                        .thenApply(answer -> new Response(1, 0));
        };
    }

    /** Counts this call, and whether its answer comes back elsewhere than on a shard's lane. */
    private static CompletionStage<Response> here(Pending<Response> pending) {
        return pending.toCompletableFuture().thenApply(answer -> {
            boolean onLane = Thread.currentThread().getName().contains("-lane-");
            return answer.plus(new Response(1, onLane ? 0 : 1));
        });
    }
}

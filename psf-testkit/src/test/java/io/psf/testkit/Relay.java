package io.psf.testkit;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Caller;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls itself on another tensor, so often as it is told; the first slice calls, the others answer. */
@PsFunction("test.relay")
interface Relay {
    enum How {
        RETURNED,
        AWAITED,
        TOO_LATE
    }

    record Request(TensorId tensor, TensorId other, int calls, How how) {}

    record Response(@Reduce(SUM) int calls, @Reduce(SUM) int byNoWorker) {}

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        int here = shard.slice() == 0 ? 1 : 0;
        int byNoWorker = shard.call().worker() < 0 ? here : 0;
        if (here == 0 || slice.calls() == 0) {
            return CompletableFuture.completedFuture(new Response(here, byNoWorker));
        }
        Caller caller = shard.caller();
        TensorId there = slice.other();
        TensorId back = slice.tensor();
        if (slice.how() == How.TOO_LATE) {
            return RelayPsf.stub(caller)
                    .call(there, back, 0, How.RETURNED)
                    .toCompletableFuture()
                    .thenApply(answer -> {
                        shard.caller();
                        return answer;
                    });
        }
        var pending = RelayPsf.stub(caller).call(there, back, slice.calls() - 1, slice.how());
        if (slice.how() == How.AWAITED) {
            return CompletableFuture.completedFuture(pending.await());
        }
        return pending.toCompletableFuture()
                .thenApply(answer -> new Response(answer.calls() + 1, answer.byNoWorker() + byNoWorker));
    }
}

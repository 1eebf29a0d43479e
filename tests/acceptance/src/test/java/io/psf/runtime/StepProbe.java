package io.psf.runtime;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts its runs, some of which fail, or answer when they are told to. */
@PsFunction("acceptance.step-probe")
interface StepProbe {
    AtomicInteger RUNS = new AtomicInteger();
    /** So many runs fail. */
    AtomicInteger FAILURES = new AtomicInteger();

    BlockingQueue<CompletableFuture<Response>> LATER = new LinkedBlockingQueue<>();

    record Request(TensorId tensor, boolean later) {}

    record Response() {}

    default CompletionStage<Response> handle(Request request, Shard shard) {
        RUNS.incrementAndGet();
        if (FAILURES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IllegalStateException("on purpose");
        }
        CompletableFuture<Response> answer = new CompletableFuture<>();
        if (request.later()) {
            LATER.add(answer);
        } else {
            answer.complete(new Response());
        }
        return answer;
    }
}

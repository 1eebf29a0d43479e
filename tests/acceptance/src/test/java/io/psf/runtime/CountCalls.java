package io.psf.runtime;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Counts, and answers a little later. */
@PsFunction(value = "acceptance.count-calls", at = Place.SERVER)
interface CountCalls {
    record Request(long more) {}

    record Response(
            @io.psf.api.layout.Reduce(io.psf.api.layout.Reduction.SUM)
            long total) {}

    default CompletionStage<Response> handle(Request request, Node server) {
        long total = server.attachment("acceptance.count-calls", AtomicLong.class, AtomicLong::new)
                .addAndGet(request.more());
        return CompletableFuture.supplyAsync(
                () -> new Response(total), CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS));
    }
}

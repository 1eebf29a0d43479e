package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A handler that goes wrong in every way that a user's handler can. */
@PsFunction("acceptance.faulty")
interface Faulty {
    enum Fault {
        NONE,
        SLOW,
        EXCEPTION,
        ERROR,
        STACK_OVERFLOW,
        NULL,
        WRONG_LENGTH,
        OUT_OF_BOUNDS,
        FAILED_LATER,
        NEVER
    }

    record Request(TensorId tensor, Fault fault) {}

    record Response(@ByRange FloatArray values) {}

    default CompletionStage<Response> handle(Request request, Shard shard) {
        return switch (request.fault()) {
            case NONE -> CompletableFuture.completedFuture(new Response(shard.values()));
            case SLOW -> {
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                yield CompletableFuture.completedFuture(new Response(shard.values()));
            }
            case EXCEPTION -> throw new IllegalStateException("a defect of the handler");
            case ERROR -> throw new AssertionError("an error of the handler");
            case STACK_OVERFLOW -> handle(request, shard);
            case NULL -> CompletableFuture.completedFuture(null);
            case WRONG_LENGTH -> CompletableFuture.completedFuture(new Response(FloatArray.allocate(1)));
            case OUT_OF_BOUNDS -> {
                shard.values().set(shard.values().length(), 1);
                throw new AssertionError("not reached");
            }
            case FAILED_LATER -> CompletableFuture.failedFuture(new IllegalStateException("later"));
            case NEVER -> new CompletableFuture<>();
        };
    }
}

package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/** Runs something on each shard of a tensor that a server holds. */
@PsFunction(value = "acceptance.on.each", at = Place.SERVER)
interface OnEach {
    enum How {
        TELL,
        FAIL,
        BLOCK,
        JOIN
    }

    record Request(TensorId tensor, How how) {}

    record Response(List<Each> each, @Reduce(SUM) int held) {}

    /**
     * The answer of a shard.
     *
     * @param worker the rank of the worker whose call it tells
     */
    record Each(int slice, int worker) {}

    /** The work of {@link How#BLOCK} has begun, and may end. */
    CountDownLatch BEGUN = new CountDownLatch(1);

    CountDownLatch END = new CountDownLatch(1);

    default CompletionStage<Response> handle(Request request, Node server) {
        CompletionStage<List<Each>> each = server.onShards(request.tensor(), shard -> {
            switch (request.how()) {
                case FAIL -> throw new IllegalStateException("slice " + shard.slice());
                case BLOCK -> {
                    BEGUN.countDown();
                    try {
                        END.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
                default -> {}
            }
            return new Each(shard.slice(), shard.call().worker());
        });
        int held = server.shards(request.tensor()).size();
        if (request.how() == How.JOIN) {
            each.toCompletableFuture().join();
        }
        return each.thenApply(all -> new Response(all, held));
    }
}

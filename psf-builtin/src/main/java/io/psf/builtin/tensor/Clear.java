package io.psf.builtin.tensor;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.spi.StoredNode;
import java.util.concurrent.CompletionStage;

/** Drops a tensor's shards on every server. Clearing a tensor that does not exist changes nothing. */
@PsFunction(value = "psf.clear", at = Place.SERVER)
public interface Clear {
    /**
     * The tensor to drop.
     *
     * @param tensor the tensor to drop
     */
    record Request(TensorId tensor) {}

    /**
     * The result.
     *
     * @param dropped the number of dropped shards
     */
    record Response(@Reduce(SUM) int dropped) {}

    /** Drops this server's shards. Answers when their memory has been given up. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        return node.clear(request.tensor()).thenApply(Response::new);
    }
}

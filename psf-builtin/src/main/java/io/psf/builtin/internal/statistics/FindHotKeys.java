package io.psf.builtin.internal.statistics;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.spi.KeySketch;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.StoredShard;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Returns the keys of a tensor that calls name most often. Servers count them while somebody asks. */
@PsFunction(value = "psf.keys.hot", at = Place.SERVER, readOnly = true)
public interface FindHotKeys {
    /**
     * The tensor.
     *
     * @param tensor the tensor
     * @param most the most keys of each slice, at least 1
     */
    record Request(TensorId tensor, int most) {}

    /**
     * The keys.
     *
     * @param all the number of keys that have come, each as often as it has
     * @param counts the keys of all slices that have come most often
     */
    record Response(@Reduce(SUM) long all, List<KeySketch.Count> counts) {}

    /** Returns the counts of this server's shards. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        if (request.most() < 1) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, "hot keys of a slice: " + request.most() + " (expected: >= 1)");
        }
        return node.onShards(request.tensor(), shard -> counts(shard, request.most()))
                .handle((counts, failure) -> failure == null ? response(counts) : unlessCleared(failure));
    }

    private static KeySketch.Counts counts(Shard shard, int most) {
        return shard instanceof StoredShard stored ? stored.hotKeys(most) : KeySketch.Counts.NONE;
    }

    private static Response response(List<KeySketch.Counts> slices) {
        return new Response(
                slices.stream().mapToLong(KeySketch.Counts::all).sum(),
                slices.stream().flatMap(each -> each.counts().stream()).toList());
    }

    private static Response unlessCleared(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof PsException known && known.code() == PsException.Code.UNKNOWN_TENSOR) {
            return new Response(0, List.of());
        }
        throw new CompletionException(cause);
    }
}

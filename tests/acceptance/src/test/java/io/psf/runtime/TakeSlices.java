package io.psf.runtime;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Takes the slices of a tensor off their servers, to the memory of this test. */
@PsFunction(value = "acceptance.take-slices", at = Place.SERVER)
interface TakeSlices {
    /** [slices] of each tensor, by its name: the values of the slices that are on no server. */
    Map<TensorId, Map<Integer, float[]>> TAKEN = new ConcurrentHashMap<>();

    /**
     * The tensor.
     *
     * @param everywhere another one, with a shard on each lane: what has run there after the drop, runs after every
     *     call that was begun before
     * @param ranks the servers that give their slices up
     */
    record Request(TensorId tensor, TensorId everywhere, List<Integer> ranks) {}

    record Response(@Reduce(SUM) int taken) {}

    default CompletionStage<Response> handle(Request request, Node server) {
        if (!request.ranks().contains(server.rank())) {
            return CompletableFuture.completedFuture(new Response(0));
        }
        List<Integer> slices = server.shards(request.tensor()).stream()
                .map(Node.ShardInfo::slice)
                .toList();
        CompletionStage<List<FloatArray>> views = server.onShards(request.tensor(), shard -> shard.values());
        return views.thenCompose(values -> {
            server.drop(request.tensor());
            return server.onShards(request.everywhere(), shard -> 0).thenApply(drained -> {
                Map<Integer, float[]> taken =
                        TAKEN.computeIfAbsent(request.tensor(), tensor -> new ConcurrentHashMap<>());
                for (int i = 0; i < values.size(); i++) {
                    taken.put(slices.get(i), values.get(i).toArray());
                }
                return new Response(values.size());
            });
        });
    }
}

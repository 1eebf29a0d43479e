package io.psf.builtin.tensor;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Optimizer;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.PsOptimizer;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.named.BadRequest;
import io.psf.builtin.internal.named.NamedClasses;
import io.psf.builtin.optimizer.LearningRate;
import io.psf.builtin.optimizer.NamedOptimizers;
import io.psf.builtin.push.SliceCount;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Replaces the optimizer of a tensor. Slots that the new one has under the same names keep their content, and so do the
 * numbers of steps. A learning rate that was set is forgotten.
 */
@PsFunction(value = "psf.optimizer.set", at = Place.SERVER)
public interface SetOptimizer {
    /**
     * The optimizer.
     *
     * @param tensor the tensor
     * @param slices the number of the tensor's slices
     * @param optimizer the name of the optimizer
     * @param arguments its arguments by name
     * @param options what it does besides its formula, by name
     */
    record Request(
            TensorId tensor,
            int slices,
            String optimizer,
            Map<String, String> arguments,
            Map<String, String> options) {}

    /**
     * The result.
     *
     * @param changed the number of shards that have the new optimizer
     */
    record Response(@Reduce(SUM) int changed) {}

    /**
     * Replaces the optimizer of each shard, on its lane, in its turn among the calls there. Fails with
     * {@code BAD_REQUEST} if this server's class path does not have the optimizer, or an argument or option is invalid.
     */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        NamedClasses classes = NamedClasses.of(node, PsOptimizer.class);
        Optimizer optimizer = BadRequest.ifIllegal(
                () -> NamedOptimizers.create(classes, request.optimizer(), request.arguments(), request.options()));
        return node.onShards(request.tensor(), shard -> {
                    SliceCount.set(shard, request.slices());
                    LearningRate.replace(shard, optimizer);
                    return 1;
                })
                .thenApply(changed -> new Response(changed.size()));
    }
}

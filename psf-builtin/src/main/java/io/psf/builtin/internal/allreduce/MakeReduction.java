package io.psf.builtin.internal.allreduce;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.DeclaredTensor;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.layout.Reduce;
import io.psf.api.spi.StoredNode;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Makes the memory of an all-reduce: shards in which {@link ReduceValues} combines values. They are no tensor of the
 * model ({@link Node.Fill#memoryOf}). Existing shards are left unchanged.
 */
@PsFunction(value = "psf.allreduce.init", at = Place.SERVER)
public interface MakeReduction {
    /**
     * The memory.
     *
     * @param tensor its name, which no tensor of the model has
     * @param epoch the epoch of the cluster's state in which it is declared
     */
    record Request(TensorId tensor, long epoch) {}

    /**
     * The result.
     *
     * @param created the number of shards that were created
     */
    record Response(@Reduce(SUM) int created) {}

    /** Creates the shards that this server owns. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        ReductionMemory.requireNoTensor(node, request.tensor());
        return node.declared(List.of(request.tensor()), request.epoch())
                .thenApply(found -> new Response(create(found.get(0), node)));
    }

    private static int create(DeclaredTensor memory, StoredNode node) {
        TensorLayout layout = memory.layout();
        int created = 0;
        for (int slice = 0; slice < layout.slices(); slice++) {
            if (layout.server(slice) == node.rank()) {
                created += node.create(layout, slice, ReductionMemory.UNUSED, new ReductionMemory()) ? 1 : 0;
            }
        }
        return created;
    }
}

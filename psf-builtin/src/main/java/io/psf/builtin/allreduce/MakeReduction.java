package io.psf.builtin.allreduce;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduce;
import io.psf.builtin.named.BadRequest;
import java.util.Arrays;

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
     * @param rows the number of rows of the values
     * @param width the number of floats in a row
     * @param bounds [slices + 1] int64, the first row of each slice, then the number of rows
     * @param servers [slices] int32, the rank of each slice's server
     * @param lanes the number of rows that selects the lanes
     */
    record Request(TensorId tensor, long rows, int width, LongArray bounds, IntArray servers, long lanes) {}

    /**
     * The result.
     *
     * @param created the number of shards that were created
     */
    record Response(@Reduce(SUM) int created) {}

    /** Creates the shards that this server owns. */
    default Response handle(Request request, Node node) {
        ReductionMemory.requireNoTensor(node, request.tensor());
        TensorLayout layout = BadRequest.ifIllegal(() -> layout(request));
        int created = 0;
        for (int slice = 0; slice < layout.slices(); slice++) {
            if (layout.servers().get(slice) == node.rank()) {
                created += node.create(layout, slice, ReductionMemory.UNUSED, new ReductionMemory()) ? 1 : 0;
            }
        }
        return new Response(created);
    }

    private static TensorLayout layout(Request request) {
        return new TensorLayout(
                new TensorInfo(request.tensor(), request.rows(), request.width()),
                Arrays.stream(request.bounds().toArray()).boxed().toList(),
                Arrays.stream(request.servers().toArray()).boxed().toList(),
                request.lanes());
    }
}

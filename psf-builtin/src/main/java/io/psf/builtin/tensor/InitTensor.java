package io.psf.builtin.tensor;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.PsInitializer;
import io.psf.api.PsOptimizer;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduce;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.named.BadRequest;
import io.psf.builtin.named.NamedClasses;
import io.psf.builtin.optimizer.NamedOptimizers;
import java.util.Arrays;
import java.util.Map;

/** Creates a tensor's shards; each server creates its own. An existing shard is left unchanged. */
@PsFunction(value = "psf.init", at = Place.SERVER)
public interface InitTensor {
    /**
     * The tensor to create.
     *
     * @param tensor the tensor's name
     * @param rows the number of rows
     * @param width the number of floats in a row
     * @param types the number formats of its values
     * @param initializer the name of the initializer
     * @param initializerArguments its arguments by name
     * @param optimizer the name of the optimizer: the rule by which a push changes a shard
     * @param optimizerArguments its arguments by name
     * @param optimizerOptions what it does besides its formula, by name
     * @param synchronous true if a round of one push of each worker is applied together
     * @param mean true if a round applies the mean of its pushes, false if it applies their sum
     * @param bounds [slices + 1] int64, the first key of each slice, then the number of rows
     * @param servers [slices] int32, the rank of each slice's server
     * @param lanes the number of rows that selects the lanes: tensors with equal numbers share lanes; 0 for the
     *     tensor's own number of rows
     * @param placement the memory of the shards, by the name that the servers have for it, or several names separated by
     *     commas; empty for their own memory
     * @param quorum the number of pushes at which a round closes; 0 for one of each worker
     * @param dropsLate true if a push for an earlier round is dropped, false if it is added to the open round
     * @param policy which keys of a growing table get a row, and which rows are removed, by name
     */
    record Request(
            TensorId tensor,
            long rows,
            int width,
            FloatTypes types,
            String initializer,
            Map<String, String> initializerArguments,
            String optimizer,
            Map<String, String> optimizerArguments,
            Map<String, String> optimizerOptions,
            boolean synchronous,
            boolean mean,
            LongArray bounds,
            IntArray servers,
            long lanes,
            String placement,
            int quorum,
            boolean dropsLate,
            Map<String, String> policy) {}

    /**
     * The result.
     *
     * @param created the number of shards that were created
     */
    record Response(@Reduce(SUM) int created) {}

    /**
     * Creates the shards that this server owns. Fails with {@code BAD_REQUEST} if the server's class path does not have
     * the optimizer or the initializer, or an argument is invalid.
     */
    default Response handle(Request request, StoredNode node) {
        requireSlices(request.bounds().length(), request.servers().length());
        TensorLayout layout = BadRequest.ifIllegal(() -> layout(request));
        Optimizer optimizer = BadRequest.ifIllegal(() -> NamedOptimizers.create(
                NamedClasses.of(node, PsOptimizer.class),
                request.optimizer(),
                request.optimizerArguments(),
                request.optimizerOptions()));
        FirstValues first = BadRequest.ifIllegal(() -> FirstValues.of(
                layout.info(),
                request,
                NamedClasses.of(node, PsInitializer.class)
                        .create(Generator.class, request.initializer(), request.initializerArguments())));
        String placement = request.placement().isEmpty() ? Node.HOST : request.placement();
        int created = 0;
        for (int slice = 0; slice < layout.slices(); slice++) {
            if (layout.servers().get(slice) == node.rank()) {
                created += node.create(layout, slice, placement, optimizer, first) ? 1 : 0;
            }
        }
        return new Response(created);
    }

    private static TensorLayout layout(Request request) {
        return new TensorLayout(
                new TensorInfo(request.tensor(), request.rows(), request.width(), request.types()),
                Arrays.stream(request.bounds().toArray()).boxed().toList(),
                Arrays.stream(request.servers().toArray()).boxed().toList(),
                request.lanes() == 0 ? request.rows() : request.lanes());
    }

    private static void requireSlices(int bounds, int servers) {
        if (bounds != servers + 1) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "bounds length: " + bounds + " (expected: " + (servers + 1) + ", one more than servers)");
        }
    }
}

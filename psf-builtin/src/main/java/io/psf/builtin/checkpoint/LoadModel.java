package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredNode;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Loads tensors of a saved model; each server loads its own shards, from the images of the step, whatever the numbers
 * of servers and slices were. A shard verifies everything that it reads before it changes.
 */
@PsFunction(value = "psf.model.load", at = Place.SERVER)
public interface LoadModel {
    /**
     * The tensors to load.
     *
     * @param model the model's name, a path below the server's checkpoint directory
     * @param step the number of the step
     * @param checksum the checksum of the step's manifest, so that all servers load the same save
     * @param tensors the tensors, each with the same shape and the same kind of optimizer as at the save
     * @param dryRun true if the images are only verified
     * @param restart true if open rounds of the tensors are dropped
     */
    record Request(String model, long step, int checksum, List<TensorId> tensors, boolean dryRun, boolean restart) {}

    /**
     * The result.
     *
     * @param slices the number of slices that were verified or loaded
     */
    record Response(@Reduce(Reduction.SUM) int slices) {}

    /** Verifies the images that have rows of this server's shards. Loads them unless {@code dryRun}. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        ModelSteps steps = ModelSteps.of(node.checkpoints(), request.model());
        String checkpoint = steps.name(request.step());
        ModelImages images = steps.read(request.step());
        if (images.manifest().checksum() != request.checksum()) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "checkpoint \"" + checkpoint
                            + "\": saved again while it is loaded (expected: no save during a load;" + " load again)");
        }
        return EachTensor.run(
                        node,
                        request.tensors(),
                        shard -> images.load(shard, checkpoint, request.dryRun(), request.restart()))
                .thenApply(slices -> new Response(slices.size()));
    }
}

package io.psf.builtin.internal.checkpoint;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.push.Workers;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Loads tensors of a saved model; each server loads its own shards, from the images of the step, whatever the numbers
 * of servers and slices were. A shard verifies everything that it reads before it changes. Called by the server that
 * leads the load.
 */
@PsFunction(value = "psf.model.read", at = Place.SERVER)
public interface ReadModel {
    /**
     * The tensors to load.
     *
     * @param model the model's name, a path below the server's checkpoint directory
     * @param step the number of the step
     * @param checksum the checksum of the step's manifest, so that all servers load the same save
     * @param tensors the tensors, each with the same width and the same kind of optimizer as at the save
     * @param dryRun true if the images are only verified
     * @param scope what the load replaces
     */
    record Request(String model, long step, int checksum, List<TensorId> tensors, boolean dryRun, LoadScope scope) {}

    /**
     * The result.
     *
     * @param parts the shards that were verified or loaded
     * @param others the other tensors that the servers hold
     */
    record Response(List<Part> parts, List<TensorId> others) {}

    /**
     * A shard.
     *
     * @param tensor the tensor's name
     * @param rows the number of rows of the whole tensor
     * @param width the number of floats in a row
     * @param covered the number of rows that the shard is for
     */
    record Part(String tensor, long rows, int width, long covered) {
        private static Part of(StoredShard shard) {
            TensorInfo info = shard.spec();
            return new Part(
                    info.id().name(), info.rows(), info.width(), shard.range().length());
        }
    }

    /** Verifies the images that have rows of this server's shards. Loads them unless {@code dryRun}. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        Workers.requireServer(node.call(), "load of shards");
        node.requireRestored();
        ModelSteps steps = ModelSteps.of(node.checkpoints(), request.model());
        String checkpoint = steps.name(request.step());
        ModelImages images = steps.read(request.step());
        if (images.manifest().checksum() != request.checksum()) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "checkpoint \"" + checkpoint
                            + "\": saved again while it is loaded (expected: no save during a load;" + " load again)");
        }
        Set<TensorId> chosen = new HashSet<>(request.tensors());
        List<TensorId> others = node.shards().stream()
                .map(Node.ShardInfo::tensor)
                .map(TensorInfo::id)
                .filter(each -> !chosen.contains(each))
                .distinct()
                .toList();
        if (request.scope() == LoadScope.MODEL && !request.dryRun()) {
            SavedReports.load(node, steps, request.step());
        }
        return EachTensor.run(node, EachTensor.MANY, request.tensors(), shard -> {
                    images.load(shard, checkpoint, request.dryRun(), request.scope());
                    return Part.of(shard);
                })
                .thenApply(parts -> new Response(parts, others));
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.spi.StoredNode;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Writes the shards of a model to files; each server writes its own. Each shard is saved between two calls on its lane.
 * The save is valid once {@link CommitModel} has written the manifest.
 */
@PsFunction(value = "psf.model.save", at = Place.SERVER)
public interface SaveModel {
    /**
     * The tensors to save.
     *
     * @param model the model's name, a path below the server's checkpoint directory
     * @param step the number of the step
     * @param save the save's unique number
     * @param base the step that increments may build on; -1 for none
     * @param baseChecksum the checksum of that step's manifest
     * @param increments the largest number of increments that may follow an image with all rows; 0 if all images must
     *     have all rows, and no later save builds on them
     * @param tensors the tensors
     */
    record Request(
            String model, long step, long save, long base, int baseChecksum, int increments, List<TensorId> tensors) {}

    /**
     * The files of the servers.
     *
     * @param indexes an index of each server that holds shards of the tensors
     */
    record Response(List<Written> indexes) {}

    /**
     * The part of a save that one server has written.
     *
     * @param index the index of its images
     * @param bytes the bytes of the images, without the images that they build on
     * @param increments the number of images that have changes alone
     */
    record Written(SavedIndex index, long bytes, int increments) {}

    /** Writes this server's shards, and their index. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        return new ModelSave(node, request).run().thenApply(Response::new);
    }
}

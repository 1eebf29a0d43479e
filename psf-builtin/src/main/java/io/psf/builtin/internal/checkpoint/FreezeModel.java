package io.psf.builtin.internal.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Workers;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Begins to copy the shards of a model to files, each between two calls on its lane, and answers when all copies have
 * begun: later changes are not in the copies. {@link WrittenModel} says when they are on the disk. Called by
 * the server that leads the save; each server copies its own shards.
 */
@PsFunction(value = "psf.model.freeze", at = Place.SERVER)
public interface FreezeModel {
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
     * @param tensors the tensors; empty for all
     */
    record Request(
            String model, long step, long save, long base, int baseChecksum, int increments, List<TensorId> tensors) {}

    /** All copies have begun. */
    record Response() {}

    /** Begins to copy this server's shards. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        Workers.requireServer(node.call(), "copy of a model");
        node.requireRestored();
        return FrozenSaves.of(node)
                .begin(request.save(), () -> new ModelSave(node, request))
                .thenApply(done -> new Response());
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredNode;
import java.util.concurrent.CompletionStage;

/**
 * Copies the shards of a model to files, as {@link SaveModel} does, and answers before they are on the disk: calls go
 * on from then. {@link WrittenModel} says when they are.
 */
@PsFunction(value = "psf.model.freeze", at = Place.SERVER)
public interface FreezeModel {
    /**
     * The tensors to save.
     *
     * @param save what to save, and on what it may build
     */
    record Request(SaveModel.Request save) {}

    /**
     * The result.
     *
     * @param any true if there were shards of the tensors
     */
    record Response(@Reduce(Reduction.OR) boolean any) {}

    /** Copies this server's shards, each between two calls on its lane. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        ModelSave save = new ModelSave(node, request.save());
        FrozenSaves.of(node).add(request.save().save(), save.written());
        return save.freeze().thenApply(Response::new);
    }
}

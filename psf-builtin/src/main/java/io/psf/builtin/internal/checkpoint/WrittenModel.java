package io.psf.builtin.internal.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Stages;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Waits until all files of a save that {@link FreezeModel} has begun are on the disk. Called by the server that leads
 * the save.
 */
@PsFunction(value = "psf.model.written", at = Place.SERVER, readOnly = true)
public interface WrittenModel {
    /**
     * The save.
     *
     * @param save the save's unique number
     * @param failed true if the save has failed elsewhere: the call waits for its end alone, whatever that is
     */
    record Request(long save, boolean failed) {}

    /**
     * The files of the servers.
     *
     * @param written the part of each server that holds shards of the tensors
     */
    record Response(List<WrittenFiles> written) {}

    /** Answers when this server's files are on the disk, and its index is. Fails if the save has failed here. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        CompletionStage<Response> written =
                Stages.begun(() -> FrozenSaves.of(node).written(request.save()).thenApply(Response::new));
        return request.failed() ? written.exceptionally(why -> new Response(List.of())) : written;
    }
}

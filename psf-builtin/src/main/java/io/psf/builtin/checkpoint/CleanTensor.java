package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;

/**
 * Deletes the files of unfinished saves of a tensor. A save stays unfinished if the disk was full, or if a server or
 * the worker was lost. Called on one server before each save, so that a full disk has its space back, and after a
 * failed save.
 */
@PsFunction(value = "psf.save.clean", at = Place.SERVER)
public interface CleanTensor {
    /**
     * The saves to clean.
     *
     * @param server any number; it selects the server, and is the same for all saves of a tensor
     * @param tensor the saved tensor
     * @param checkpoint the checkpoint's name, a path below the server's checkpoint directory
     */
    record Request(@ByKey long server, TensorId tensor, String checkpoint) {}

    /**
     * The result.
     *
     * @param deleted the number of deleted files
     */
    record Response(int deleted) {}

    /** Deletes the files that the manifest does not name. Deletes none if the manifest cannot be read. */
    default Response handle(Request request, StoredNode node) {
        Folder folder = CheckpointPath.of(node.checkpoints(), request.checkpoint(), request.tensor());
        return new Response(TensorManifest.clean(folder, request.checkpoint(), request.tensor()));
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.ByKey;

/**
 * Deletes what saves of a tensor have left that were not finished: the disk was full, or a server or the worker was lost.
 * Called on one server before each save, so that a full disk has the space again, and after one that has failed.
 */
@PsFunction(value = "psf.save.clean", at = Place.SERVER)
public interface CleanSaves {
    /**
     * What is cleaned.
     *
     * @param server any number: it chooses the server, the same for all saves of a tensor
     * @param tensor which tensor
     * @param checkpoint the checkpoint's name, a path below the server's directory
     */
    record Request(@ByKey long server, TensorId tensor, String checkpoint) {}

    /**
     * What has been deleted.
     *
     * @param deleted how many files
     */
    record Response(int deleted) {}

    /** Deletes the files that the manifest does not name; none if the manifest cannot be read. */
    default Response handle(Request request, Node node) {
        Folder folder = Folder.of(node.checkpoints(), request.checkpoint(), request.tensor());
        return new Response(Manifest.clean(folder, request.checkpoint(), request.tensor()));
    }
}

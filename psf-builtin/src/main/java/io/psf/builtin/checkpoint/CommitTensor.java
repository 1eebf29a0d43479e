package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.named.BadRequest;
import java.util.List;

/**
 * Commits a save: replaces the manifest by a manifest of the save's files. Runs on one server, which must see all of
 * the files.
 */
@PsFunction(value = "psf.save.commit", at = Place.SERVER)
public interface CommitTensor {
    /**
     * The save to commit.
     *
     * @param server any number; it selects the server, and is the same for all saves of a tensor
     * @param tensor the saved tensor
     * @param rows the number of rows
     * @param width the number of floats in a row
     * @param checkpoint the checkpoint's name, a path below the server's checkpoint directory
     * @param save the save's unique number
     * @param images the files, in the order of their rows
     */
    record Request(
            @ByKey long server,
            TensorId tensor,
            long rows,
            int width,
            String checkpoint,
            long save,
            List<SavedImage> images) {}

    /** The acknowledgement. */
    record Response() {}

    /** Writes the manifest, then deletes the files that it does not name. */
    default Response handle(Request request, StoredNode node) {
        Folder folder = CheckpointPath.of(node.checkpoints(), request.checkpoint(), request.tensor());
        TensorManifest.write(folder, BadRequest.ifIllegal(() -> images(request)));
        return new Response();
    }

    private static TensorImages images(Request request) {
        TensorInfo tensor = new TensorInfo(request.tensor(), request.rows(), request.width());
        List<SavedChain> chains = request.images().stream().map(SavedChain::of).toList();
        return new TensorImages(tensor, request.save(), chains);
    }
}

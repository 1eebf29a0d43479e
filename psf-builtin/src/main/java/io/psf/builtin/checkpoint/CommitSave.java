package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.layout.ByKey;
import java.util.List;

/**
 * Makes a save count: writes the manifest that names its files, in the place of the one before, on one server that sees
 * all of them.
 */
@PsFunction(value = "psf.save.commit", at = Place.SERVER)
public interface CommitSave {
    /**
     * What has been saved.
     *
     * @param server any number: it chooses the server, the same for all saves of a tensor
     * @param tensor which tensor
     * @param rows how many rows
     * @param width floats in a row
     * @param checkpoint the checkpoint's name, a path below the server's directory
     * @param save the save's own number
     * @param pieces the files, in the order of their rows
     */
    record Request(
            @ByKey long server,
            TensorId tensor,
            long rows,
            int width,
            String checkpoint,
            long save,
            List<Piece> pieces) {}

    /** That it is done. */
    record Response() {}

    /** Writes the manifest, and deletes the files that it does not name. */
    default Response handle(Request request, Node node) {
        Folder folder = Folder.of(node.checkpoints(), request.checkpoint(), request.tensor());
        TensorInfo tensor = new TensorInfo(request.tensor(), request.rows(), request.width());
        new Manifest(tensor, request.save(), request.pieces()).write(folder);
        return new Response();
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Commits a save: replaces the manifest by one that names the save's files. Runs on one server, which must see all of
 * the files.
 */
@PsFunction(value = "psf.save.commit", at = Place.SERVER)
public interface CommitSave {
    /**
     * The save to commit.
     *
     * @param server any number; it selects the server, and is the same for all saves of a tensor
     * @param tensor the saved tensor
     * @param rows the number of rows
     * @param width the number of floats in a row
     * @param checkpoint the checkpoint's name, a path below the server's checkpoint directory
     * @param save the save's unique number
     * @param pieces the files, in the order of their rows
     * @param base the checkpoint that the increments among them build on; empty if there is none
     */
    record Request(
            @ByKey long server,
            TensorId tensor,
            long rows,
            int width,
            String checkpoint,
            long save,
            List<Piece> pieces,
            String base) {}

    /** The acknowledgement. */
    record Response() {}

    /** Writes the manifest, then deletes the files that it does not name. */
    default Response handle(Request request, StoredNode node) {
        Folder folder = Folder.of(node.checkpoints(), request.checkpoint(), request.tensor());
        TensorInfo tensor = new TensorInfo(request.tensor(), request.rows(), request.width());
        new Manifest(tensor, request.save(), chains(request, node)).write(folder);
        return new Response();
    }

    private static List<Chain> chains(Request request, StoredNode node) {
        if (request.pieces().stream().allMatch(piece -> piece.bases() == 0)) {
            return request.pieces().stream().map(Chain::of).toList();
        }
        Folder folder = Folder.of(node.checkpoints(), request.base(), request.tensor());
        Manifest base = Manifest.read(folder, request.base(), request.tensor());
        List<Chain> chains = new ArrayList<>();
        for (Piece piece : request.pieces()) {
            Range rows = new Range(piece.begin(), piece.end());
            chains.add(
                    piece.bases() == 0
                            ? Chain.of(piece)
                            : base.chain(rows)
                                    .filter(chain -> chain.pieces().size() == piece.bases())
                                    .orElseThrow(() -> new PsException(
                                            PsException.Code.STORAGE,
                                            "rows " + piece.rows() + " of checkpoint \"" + request.base()
                                                    + "\": changed (expected: as when the increment was written)"))
                                    .and(piece));
        }
        return chains;
    }
}

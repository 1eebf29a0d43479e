package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredNode;
import java.util.List;

/** Returns whether all files of a save that {@link FreezeModel} has begun are on the disk. Fails if it has failed. */
@PsFunction(value = "psf.model.written", at = Place.SERVER, readOnly = true)
public interface WrittenModel {
    /**
     * The save.
     *
     * @param save the save's unique number
     */
    record Request(long save) {}

    /**
     * The state.
     *
     * @param all true if all servers have ended
     * @param indexes the indexes of the servers that have ended, if they had shards
     */
    record Response(@Reduce(Reduction.AND) boolean all, List<SaveModel.Written> indexes) {}

    /** Says whether this server has ended. */
    default Response handle(Request request, StoredNode node) {
        return FrozenSaves.of(node).ended(request.save());
    }
}

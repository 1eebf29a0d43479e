package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Since;

/**
 * Names a model of whose checkpoints the slices of a lost server are loaded when it comes back. Called by the worker or
 * client that has saved the model's first checkpoint, or has loaded one. Without a model's name it only asks whether a
 * client may save.
 */
@PsFunction(value = "psf.cluster.restore", at = Place.SCHEDULER)
public interface RestoreFrom {
    /** No model: the call fails if slices have gone back to a checkpoint, and the others have not been loaded since. */
    String NONE = "";

    /**
     * The model.
     *
     * @param model its name, a path below the servers' checkpoint directory; {@link #NONE} to ask
     * @param all true if all slices go back to a checkpoint then; false if the lost slices alone do
     * @param loaded true if a checkpoint has been loaded on all servers just now, or, without a model, if there was
     *     none to load; false after a save
     * @param rollback the last rollback that the caller knew when it began
     * @param revoked true if no slices are loaded from the model's checkpoints any more, which are deleted next
     */
    record Request(
            String model,
            boolean all,
            boolean loaded,
            long rollback,
            @Since(2) boolean revoked) {}

    record Response() {}

    Response handle(Request request, Node scheduler);
}

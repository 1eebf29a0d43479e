package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;

/**
 * Names a model of whose checkpoints the slices of a lost server are loaded when it comes back. Called by the worker that has
 * saved the model's first checkpoint, or has loaded one.
 */
@PsFunction(value = "psf.cluster.restore", at = Place.SCHEDULER)
public interface RestoreFrom {
    /**
     * The model.
     *
     * @param model its name, a path below the servers' checkpoint directory
     * @param all true if all slices go back to a checkpoint then; false if the lost slices alone do
     * @param loaded true if all workers have loaded a checkpoint just now, false after a save
     * @param rollback the last rollback that the worker knew when it began
     */
    record Request(String model, boolean all, boolean loaded, long rollback) {}

    record Response() {}

    Response handle(Request request, Node scheduler);
}

package io.psf.api.spi;

/**
 * A message of a server to the scheduler: from which checkpoints the slices of a lost server are loaded.
 *
 * @param model the model's name, a path below the place of checkpoints; empty for none
 * @param all true if all slices go back to a checkpoint when a lost node comes back; false if the lost slices alone do
 * @param loaded true if a checkpoint has been loaded on all servers just now, or, without a model, if there was none to
 *     load
 * @param rollback the last rollback of which the workers or the client knew when they began
 * @param revoked true if no slices are loaded from the model's checkpoints any more, which are deleted next
 */
public record RestorePoint(String model, boolean all, boolean loaded, long rollback, boolean revoked) {
    /** Names a model that has been saved. */
    public static RestorePoint saved(String model, boolean all, long rollback) {
        return new RestorePoint(model, all, false, rollback, false);
    }

    /**
     * Says that a checkpoint has been loaded on all servers.
     *
     * @param model the model's name; empty if there was nothing to load
     */
    public static RestorePoint loaded(String model, boolean all, long rollback) {
        return new RestorePoint(model, all, true, rollback, false);
    }

    /** Asks whether all slices have what was pushed to them: it is refused after a rollback until a load. */
    public static RestorePoint asked(long rollback) {
        return new RestorePoint("", true, false, rollback, false);
    }

    /** Revokes that lost slices are loaded from a model's checkpoints. */
    public static RestorePoint revoked(String model) {
        return new RestorePoint(model, false, false, 0, true);
    }
}

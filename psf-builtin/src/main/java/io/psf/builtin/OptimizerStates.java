package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.internal.checkpoint.LoadScope;
import io.psf.builtin.internal.checkpoint.LoneModel;
import java.util.List;

/**
 * Saves the optimizers' states of tensors to files of the servers, and loads the states alone: the values of the
 * tensors stay. The files are those of a model, {@code <name>.states}, which {@link Model} reads, too.
 */
public final class OptimizerStates {
    private OptimizerStates() {}

    /**
     * Saves the states, and the values with them. Replaces what was saved under the name before, once all is on the
     * disk. Called by one worker or client while nobody pushes. Blocks.
     *
     * @param tensors at least one
     * @param name a path such as {@code ctr/epoch-3} below the servers' checkpoint directory ({@code PSF_CHECKPOINTS},
     *     the same for all servers)
     * @throws PsException with {@code BAD_REQUEST} if there is no tensor, or the name is invalid; with {@code
     *     CONFIGURATION} if a server has no checkpoint directory, or another job saves under the name; with {@code
     *     STORAGE} if a file cannot be written
     */
    public static void save(TensorCaller caller, List<TensorId> tensors, String name) {
        if (tensors.isEmpty()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, "tensors to save as \"" + name + "\": 0 (expected: at least one)");
        }
        LoneModel.ofStates(caller, tensors, name).save();
    }

    /**
     * Loads the states of all tensors that were saved under a name, on any number of servers. All files are verified
     * before anything changes. Called as {@link #save}.
     *
     * @throws PsException with {@code STORAGE} if nothing was saved under the name, or a file is damaged; with {@code
     *     UNKNOWN_TENSOR} if a tensor is not initialized; with {@code BAD_REQUEST} if a tensor has another shape or
     *     another kind of optimizer than at the save, or grows
     */
    public static void load(TensorCaller caller, String name) {
        LoneModel.ofStates(caller, List.of(), name).load(LoadScope.STATES);
    }
}

package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import java.util.List;

/**
 * A model that one caller saves and loads by itself, of which the newest step is kept.
 *
 * @param tensors the tensors; empty for a load of all that were saved
 * @param what what it is in words, for messages
 */
public record LoneModel(TensorCaller caller, String model, List<TensorId> tensors, String what) {
    /** Returns the model that has a tensor alone. */
    public static LoneModel of(TensorCaller caller, TensorId tensor, String checkpoint) {
        return new LoneModel(
                caller,
                CheckpointNames.alone(checkpoint, tensor),
                List.of(tensor),
                "tensor \"" + tensor + "\" in checkpoint \"" + checkpoint + "\"");
    }

    /** Returns the model from which the states of optimizers are loaded. */
    public static LoneModel ofStates(TensorCaller caller, List<TensorId> tensors, String checkpoint) {
        return new LoneModel(
                caller,
                checkpoint + CheckpointNames.STATES,
                tensors,
                "states of optimizers in checkpoint \"" + checkpoint + "\"");
    }

    private ModelOptions options() {
        return new ModelOptions(1, 0, tensors, List.of(), false, false);
    }

    /** Saves the tensors as the step after the newest one, in the place of what a save has left that did not end. */
    public void save() {
        SaveModelPsf.stub(caller)
                .withDeadline(ModelWorks.LIMIT)
                .call(ModelWorks.SERVER, model, LedSave.NEXT, options(), List.of(), 0)
                .await();
    }

    /** Loads the newest step. */
    public void load(LoadScope scope) {
        String manifest = LoadModelPsf.stub(caller)
                .withDeadline(ModelWorks.LIMIT)
                .call(ModelWorks.SERVER, model, LedLoad.NEWEST, options(), scope, 0)
                .await()
                .manifest();
        if (manifest.isEmpty()) {
            throw new PsException(PsException.Code.STORAGE, what + ": none (expected: saved under this name)");
        }
    }
}

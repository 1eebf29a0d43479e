package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.internal.checkpoint.CheckpointPath;
import io.psf.builtin.internal.checkpoint.LedLoad;
import io.psf.builtin.internal.checkpoint.LedSave;
import io.psf.builtin.internal.checkpoint.LoadModelPsf;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.checkpoint.ModelWorks;
import io.psf.builtin.internal.checkpoint.SaveModelPsf;
import java.util.List;

/**
 * The checkpoint of a tensor by itself: a model that has it alone, of which the newest step is kept.
 *
 * @param checkpoint the name under which the caller saves the tensor, and may save others
 */
record LoneTensor(TensorCaller caller, TensorId tensor, String checkpoint) {
    private String model() {
        return CheckpointPath.alone(checkpoint, tensor);
    }

    private ModelOptions options() {
        return new ModelOptions(1, 0, List.of(tensor), List.of(), false, false);
    }

    /** Saves the tensor as the step after the newest one, in the place of what a save has left that did not end. */
    void save() {
        SaveModelPsf.stub(caller)
                .withDeadline(ModelWorks.LIMIT)
                .call(ModelWorks.SERVER, model(), LedSave.NEXT, options(), List.of(), 0)
                .await();
    }

    /** Loads the newest step. Open rounds of the tensor stay open. */
    void load() {
        String manifest = LoadModelPsf.stub(caller)
                .withDeadline(ModelWorks.LIMIT)
                .call(ModelWorks.SERVER, model(), LedLoad.NEWEST, options(), false, 0)
                .await()
                .manifest();
        if (manifest.isEmpty()) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "tensor \"" + tensor + "\" in checkpoint \"" + checkpoint
                            + "\": none (expected: a tensor that has been saved under this name)");
        }
    }
}

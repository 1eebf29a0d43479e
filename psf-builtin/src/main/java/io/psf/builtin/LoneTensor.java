package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.checkpoint.CheckpointPath;
import io.psf.builtin.checkpoint.ListModels;
import io.psf.builtin.checkpoint.ModelManifest;
import java.util.List;

/**
 * The checkpoint of a tensor by itself: a model that has it alone, of which the newest step is kept.
 *
 * @param checkpoint the name under which the caller saves the tensor, and may save others
 */
record LoneTensor(TensorId tensor, String checkpoint, ModelCalls calls) {
    static LoneTensor of(TensorCaller caller, TensorId tensor, String checkpoint) {
        return new LoneTensor(tensor, checkpoint, new ModelCalls(caller, CheckpointPath.alone(checkpoint, tensor)));
    }

    /** Saves the tensor as the step after the newest one, in the place of what a save has left that did not end. */
    void save() {
        long step = calls.list().newest() + 1;
        calls.replace(
                step,
                0,
                () -> calls.save(
                        step,
                        ModelCalls.SavePart.of(List.of()),
                        List.of(calls.caller().layout(tensor).info()),
                        1,
                        0));
    }

    /** Loads the newest step. Open rounds of the tensor stay open. */
    void load() {
        ListModels.Response saved = calls.list();
        if (saved.manifests().isEmpty()) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    saved.damaged().isEmpty()
                            ? "tensor \"" + tensor + "\" in checkpoint \"" + checkpoint
                                    + "\": none (expected: a tensor that has been saved under this name)"
                            : saved.damaged().get(0));
        }
        ModelManifest newest = ModelManifest.parse(saved.manifests().get(0));
        calls.verify(newest, newest.tensors());
        calls.load(newest, newest.tensors(), false);
    }
}

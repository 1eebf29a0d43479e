package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.checkpoint.ModelManifest;
import io.psf.builtin.checkpoint.SavedTensor;
import java.util.List;
import java.util.stream.Stream;

/**
 * The tensors of a model.
 *
 * @param selected those to save and load; empty for all
 * @param reduced those of reduced weights
 */
record ModelTensors(ClusterCaller caller, List<TensorId> selected, List<TensorId> reduced) {
    /** Returns the tensors that are saved. */
    List<TensorInfo> infos() {
        return selected.isEmpty()
                ? Tensors.list(caller).stream().map(TensorSummary::tensor).toList()
                : all().stream().map(each -> caller.layout(each).info()).toList();
    }

    /** Returns the selected tensors, and those of the reduced weights. */
    private List<TensorId> all() {
        return Stream.concat(selected.stream(), reduced.stream()).distinct().toList();
    }

    /**
     * Returns the tensors of a checkpoint that are loaded.
     *
     * @param checkpoint its name, for messages
     */
    List<SavedTensor> chosen(ModelManifest manifest, String checkpoint) {
        for (TensorId tensor : reduced) {
            if (manifest.records().stream().noneMatch(each -> each.key().equals(ModelCheckpoint.STORED + tensor))) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "reduced weights \"" + tensor + "\": not in checkpoint \"" + checkpoint
                                + "\" (expected: one that was saved with ModelCheckpoints.weights)");
            }
        }
        if (selected.isEmpty()) {
            return manifest.tensors();
        }
        return all().stream()
                .map(tensor -> manifest.find(tensor.name())
                        .orElseThrow(() -> new PsException(
                                PsException.Code.BAD_REQUEST,
                                "tensor \"" + tensor + "\": not in checkpoint \"" + checkpoint
                                        + "\" (expected: a tensor that was saved there)")))
                .toList();
    }
}

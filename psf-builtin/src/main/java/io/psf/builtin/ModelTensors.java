package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.checkpoint.ModelManifest;
import io.psf.builtin.checkpoint.SavedTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tensors of a model.
 *
 * @param selected those to save and load; empty for all
 * @param reduced the tensors of reduced weights
 */
record ModelTensors(ClusterCaller caller, List<TensorId> selected, List<TensorId> reduced) {
    private static final Logger LOG = LoggerFactory.getLogger(ModelTensors.class);

    private static final int MOST_NAMED = 10;

    /** Returns the tensors that are saved. */
    List<TensorInfo> infos() {
        return selected.isEmpty()
                ? Tensors.list(caller).stream().map(TensorSummary::tensor).toList()
                : all().stream().map(each -> caller.layout(each).info()).toList();
    }

    /** Returns the selected tensors, and the tensors of the reduced weights. */
    private List<TensorId> all() {
        return Stream.concat(selected.stream(), reduced.stream()).distinct().toList();
    }

    /**
     * Returns the tensors of a checkpoint that are loaded.
     *
     * @param checkpoint its name, for messages
     * @throws PsException with {@code UNKNOWN_TENSOR}, naming them, if some are not initialized
     */
    List<SavedTensor> chosen(ModelManifest manifest, String checkpoint) {
        for (TensorId tensor : reduced) {
            if (manifest.records().stream().noneMatch(each -> each.key().equals(ModelCheckpoint.STORED + tensor))) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "reduced weights \"" + tensor + "\": not in checkpoint \"" + checkpoint
                                + "\" (expected: saved with ModelCheckpoints.weights)");
            }
        }
        List<SavedTensor> chosen = selected(manifest, checkpoint);
        Set<TensorId> there = caller.layouts(ids(chosen)).keySet();
        List<TensorId> dropped =
                ids(chosen).stream().filter(each -> !there.contains(each)).toList();
        if (!dropped.isEmpty()) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "tensors of checkpoint \"" + checkpoint + "\" that are not initialized: " + some(dropped)
                            + " (expected: none; ModelCheckpoints.tensors selects those to load)");
        }
        return chosen;
    }

    /** Warns of what a loaded checkpoint does not have. */
    void logChanges(ModelManifest manifest, String checkpoint) {
        changes(manifest, selected(manifest, checkpoint))
                .forEach(change -> LOG.warn("checkpoint \"{}\": {}", checkpoint, change));
    }

    /**
     * Returns in words how the tensors of a checkpoint differ from the tensors of the cluster; empty if they do not.
     */
    List<String> changes(ModelManifest manifest, List<SavedTensor> chosen) {
        List<String> changes = new ArrayList<>();
        caller.layouts(ids(chosen))
                .forEach((tensor, layout) -> manifest.find(tensor.name())
                        .map(each -> new TensorInfo(tensor, each.rows(), each.width()).shape())
                        .filter(shape -> !shape.equals(layout.info().shape()))
                        .ifPresent(shape -> changes.add("tensor \"" + tensor + "\": " + shape + " in it, "
                                + layout.info().shape() + " now; its other rows begin anew")));
        List<TensorId> added = infos().stream()
                .map(TensorInfo::id)
                .filter(each -> manifest.find(each.name()).isEmpty())
                .toList();
        if (!added.isEmpty()) {
            changes.add("tensors that it does not have, and that stay as they are: " + some(added));
        }
        return changes;
    }

    private static List<TensorId> ids(List<SavedTensor> tensors) {
        return tensors.stream().map(each -> TensorId.of(each.tensor())).toList();
    }

    private static String some(List<TensorId> tensors) {
        String first = tensors.stream()
                .limit(MOST_NAMED)
                .map(each -> "\"" + each + "\"")
                .collect(Collectors.joining(", "));
        return first + (tensors.size() > MOST_NAMED ? " and " + (tensors.size() - MOST_NAMED) + " more" : "");
    }

    private List<SavedTensor> selected(ModelManifest manifest, String checkpoint) {
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

package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The tensors of a checkpoint that are loaded.
 *
 * @param tensors the tensors, as they were saved
 * @param all true if they are all that the checkpoint has
 * @param checkpoint the checkpoint's name, for messages
 */
record ChosenTensors(List<SavedTensor> tensors, boolean all, String checkpoint) {
    private static final int MOST_NAMED = 10;

    /**
     * Selects the tensors to load.
     *
     * @throws PsException with {@code BAD_REQUEST} if one of them was not saved
     */
    static ChosenTensors of(ModelManifest manifest, ModelOptions options, String checkpoint) {
        for (TensorId tensor : options.reduced()) {
            if (manifest.records().stream().noneMatch(each -> each.key().equals(RecordEntry.STORED + tensor))) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "reduced weights \"" + tensor + "\": not in checkpoint \"" + checkpoint
                                + "\" (expected: saved with ModelCheckpoints.weights)");
            }
        }
        List<SavedTensor> chosen = options.tensors().isEmpty()
                ? manifest.tensors()
                : options.tensors().stream()
                        .map(tensor -> manifest.find(tensor.name())
                                .orElseThrow(() -> new PsException(
                                        PsException.Code.BAD_REQUEST,
                                        "tensor \"" + tensor + "\": not in checkpoint \"" + checkpoint
                                                + "\" (expected: a tensor that was saved there)")))
                        .toList();
        return new ChosenTensors(chosen, options.tensors().isEmpty(), checkpoint);
    }

    /** Returns names for a message, the first ten of them. */
    static String some(Collection<String> names) {
        String first =
                names.stream().limit(MOST_NAMED).map(each -> "\"" + each + "\"").collect(Collectors.joining(", "));
        return first + (names.size() > MOST_NAMED ? " and " + (names.size() - MOST_NAMED) + " more" : "");
    }

    List<TensorId> ids() {
        return tensors.stream().map(each -> TensorId.of(each.tensor())).toList();
    }

    /**
     * Checks that the servers hold all slices of all tensors.
     *
     * @param parts the shards that the servers hold
     * @throws PsException with {@code UNKNOWN_TENSOR}
     */
    void requireThere(List<ReadModel.Part> parts) {
        Map<String, Long> covered = new LinkedHashMap<>();
        tensors.forEach(each -> covered.put(each.tensor(), 0L));
        parts.forEach(each -> covered.merge(each.tensor(), each.covered(), Long::sum));
        List<String> missing = covered.entrySet().stream()
                .filter(each -> each.getValue() == 0)
                .map(Map.Entry::getKey)
                .toList();
        if (!missing.isEmpty()) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "tensors of checkpoint \"" + checkpoint + "\" that are not initialized: " + some(missing)
                            + " (expected: none; ModelCheckpoints.tensors selects those to load)");
        }
        for (ReadModel.Part each : parts) {
            long rows = covered.getOrDefault(each.tensor(), 0L);
            if (rows != each.rows()) {
                throw new PsException(
                        PsException.Code.UNKNOWN_TENSOR,
                        "rows of tensor \"" + each.tensor() + "\" of checkpoint \"" + checkpoint
                                + "\" that the servers hold: " + rows + " (expected: " + each.rows()
                                + ", as they were initialized; load again)");
            }
        }
    }

    /** Returns in words how the tensors of the checkpoint differ from the tensors of the cluster. */
    List<String> changes(ReadModel.Response loaded) {
        Map<String, TensorInfo> there = new LinkedHashMap<>();
        loaded.parts()
                .forEach(each -> there.put(
                        each.tensor(), new TensorInfo(TensorId.of(each.tensor()), each.rows(), each.width())));
        List<String> changes = new ArrayList<>();
        for (SavedTensor each : tensors) {
            TensorInfo saved = new TensorInfo(TensorId.of(each.tensor()), each.rows(), each.width());
            TensorInfo now = there.getOrDefault(each.tensor(), saved);
            if (!now.shape().equals(saved.shape())) {
                changes.add("tensor \"" + each.tensor() + "\": " + saved.shape() + " in it, " + now.shape()
                        + " now; its other rows begin anew");
            }
        }
        List<String> others =
                loaded.others().stream().map(TensorId::name).distinct().toList();
        if (all && !others.isEmpty()) {
            changes.add("tensors that it does not have, and that stay as they are: " + some(others));
        }
        return changes;
    }
}

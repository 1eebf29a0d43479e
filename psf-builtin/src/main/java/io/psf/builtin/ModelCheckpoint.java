package io.psf.builtin;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.internal.checkpoint.ModelManifest;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A saved model.
 *
 * @param step the number of the step that it was saved at
 * @param tensors the tensors
 * @param records the workers' records, by rank; a worker whose record was empty is absent. A worker that was absent
 *     from the save has its record of the checkpoint before
 * @param recordSteps the step at which each worker saved its record, by rank; earlier than {@code step} for a worker
 *     that was absent from the save
 */
public record ModelCheckpoint(
        long step,
        List<TensorInfo> tensors,
        Map<Integer, Map<String, String>> records,
        Map<Integer, Long> recordSteps) {
    public ModelCheckpoint {
        tensors = List.copyOf(tensors);
        records = Map.copyOf(records);
        recordSteps = Map.copyOf(recordSteps);
    }

    /** Returns the model that a manifest is of. */
    static ModelCheckpoint of(String manifest) {
        return of(ModelManifest.parse(manifest));
    }

    static ModelCheckpoint of(ModelManifest manifest) {
        Map<Integer, Map<String, String>> records = new TreeMap<>();
        Map<Integer, Long> steps = new TreeMap<>();
        for (RecordEntry each : manifest.records()) {
            if (each.key().equals(RecordEntry.STEP) && each.value().matches("\\d{1,18}")) {
                steps.put(each.worker(), Long.parseLong(each.value()));
            } else if (!each.key().startsWith(RecordEntry.OWN)) {
                records.computeIfAbsent(each.worker(), worker -> new LinkedHashMap<>())
                        .put(each.key(), each.value());
            }
        }
        return new ModelCheckpoint(
                manifest.step(),
                manifest.tensors().stream()
                        .map(each -> new TensorInfo(TensorId.of(each.tensor()), each.rows(), each.width()))
                        .toList(),
                records,
                steps);
    }

    /** Returns the record that a worker saved; empty if it saved none. */
    public Map<String, String> record(int worker) {
        return records.getOrDefault(worker, Map.of());
    }
}

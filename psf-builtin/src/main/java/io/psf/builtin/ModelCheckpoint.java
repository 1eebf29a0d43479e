package io.psf.builtin;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.checkpoint.ModelManifest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A saved model.
 *
 * @param step the number of the step that it was saved at
 * @param tensors the tensors
 * @param records the workers' records, by rank; a worker whose record was empty is absent
 */
public record ModelCheckpoint(long step, List<TensorInfo> tensors, Map<Integer, Map<String, String>> records) {
    /** The beginning of the keys that say which reduced weights were saved. No record of a worker's has such a key. */
    static final String STORED = "psf:stored:";

    public ModelCheckpoint {
        tensors = List.copyOf(tensors);
        records = Map.copyOf(records);
    }

    static ModelCheckpoint of(ModelManifest manifest) {
        Map<Integer, Map<String, String>> records = new TreeMap<>();
        manifest.records().stream()
                .filter(each -> !each.key().startsWith(STORED))
                .forEach(each -> records.computeIfAbsent(each.worker(), worker -> new LinkedHashMap<>())
                        .put(each.key(), each.value()));
        return new ModelCheckpoint(
                manifest.step(),
                manifest.tensors().stream()
                        .map(each -> new TensorInfo(TensorId.of(each.tensor()), each.rows(), each.width()))
                        .toList(),
                records);
    }

    /** Returns the record that a worker saved; empty if it saved none. */
    public Map<String, String> record(int worker) {
        return records.getOrDefault(worker, Map.of());
    }
}

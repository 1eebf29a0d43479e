package io.psf.builtin;

import io.psf.api.TensorId;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A model's state on a worker.
 *
 * @param weights weights that the workers have; weights on the servers may be among them
 * @param caches caches with updates that the servers lack
 */
record LocalState(List<Weights> weights, List<EmbeddingCache> caches) {
    /** Returns the tensors of the reduced weights. */
    List<TensorId> reduced() {
        return weights.stream()
                .filter(ReducedWeights.class::isInstance)
                .map(Weights::tensor)
                .toList();
    }

    /**
     * Flushes the caches. Returns the worker's record, with what it has of reduced weights.
     *
     * @param step the step that is saved; -1 for a record that takes no worker's place if it is empty
     * @throws IllegalArgumentException if a key of the record begins with {@link RecordEntry#OWN}
     */
    List<RecordEntry> flushed(int worker, long step, Map<String, String> record) {
        List<RecordEntry> entries = new ArrayList<>();
        record.forEach((key, value) -> {
            if (key.startsWith(RecordEntry.OWN)) {
                throw new IllegalArgumentException("key of a record: " + key
                        + " (expected: one that does not begin with " + RecordEntry.OWN + ")");
            }
            entries.add(new RecordEntry(worker, key, value));
        });
        if (step >= 0) {
            entries.add(new RecordEntry(worker, RecordEntry.STEP, Long.toString(step)));
        }
        reduced().forEach(tensor -> entries.add(new RecordEntry(worker, RecordEntry.STORED + tensor, "")));
        caches.forEach(EmbeddingCache::flush);
        return entries;
    }

    /** Copies the reduced weights to the servers. */
    void store() {
        weights.forEach(Weights::store);
    }

    /** Empties the caches, and takes the reduced weights from the servers. */
    void restore() {
        caches.forEach(EmbeddingCache::clear);
        weights.forEach(Weights::restore);
    }
}

package io.psf.builtin.checkpoint;

/**
 * An entry of the record that a worker saves with a model.
 *
 * @param worker the rank of the worker
 * @param key the entry's key
 * @param value the entry's value
 */
public record RecordEntry(int worker, String key, String value) {}

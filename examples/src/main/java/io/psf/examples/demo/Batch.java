package io.psf.examples.demo;

import java.util.Arrays;

/**
 * A batch of examples, with the rows of the parameter tables that it uses.
 *
 * @param keys [rows] int64, sorted, each once: the rows to pull and to push gradients of
 * @param positions [n, fields] int32, the index of each field's key in {@code keys}
 * @param numbers [n, numerics] float32
 * @param labels [n] float32, 0 or 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Batch(long[] keys, int[] positions, float[] numbers, float[] labels) {
    /** Returns a batch of examples. */
    public static Batch of(Examples examples) {
        long[] keys = Arrays.stream(examples.keys()).sorted().distinct().toArray();
        int[] positions = new int[examples.keys().length];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = Arrays.binarySearch(keys, examples.keys()[i]);
        }
        return new Batch(keys, positions, examples.numbers(), examples.labels());
    }

    /** Returns the number of examples. */
    public int size() {
        return labels.length;
    }

    /** Returns the number of rows of the tables that the batch uses. */
    public int rows() {
        return keys.length;
    }
}

package io.psf.examples.demo;

import java.util.Arrays;

/**
 * Some examples and the rows of the parameter tables that they touch.
 *
 * @param keys [rows] int64, sorted, each once: the rows to pull, and to push gradients of
 * @param positions [n, fields] int32, where in {@code keys} each field's key stands
 * @param numbers [n, numerics] float32
 * @param labels [n] float32, 0 or 1
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Batch(long[] keys, int[] positions, float[] numbers, float[] labels) {
    static Batch of(Examples examples) {
        long[] keys = Arrays.stream(examples.keys()).sorted().distinct().toArray();
        int[] positions = new int[examples.keys().length];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = Arrays.binarySearch(keys, examples.keys()[i]);
        }
        return new Batch(keys, positions, examples.numbers(), examples.labels());
    }

    /** How many examples. */
    int size() {
        return labels.length;
    }

    /** How many rows of the tables they touch. */
    int rows() {
        return keys.length;
    }
}

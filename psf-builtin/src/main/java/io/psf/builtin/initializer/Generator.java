package io.psf.builtin.initializer;

import io.psf.api.array.FloatArray;

/**
 * Generates initial values. Each value is a function of its element's index in the whole tensor. Immutable and
 * thread-safe.
 */
@FunctionalInterface
public interface Generator {
    /** Returns the value of an element with index {@code row * width + column}. */
    float value(long element);

    /**
     * Fills an array with the values of consecutive elements.
     *
     * @param values [n] float32; borrowed until the method returns
     * @param firstElement the index of the array's first element in the whole tensor
     */
    default void fill(FloatArray values, long firstElement) {
        float[] tile = new float[Math.min(512, values.length())];
        for (int at = 0; at < values.length(); at += tile.length) {
            int n = Math.min(tile.length, values.length() - at);
            for (int i = 0; i < n; i++) {
                tile[i] = value(firstElement + at + i);
            }
            values.copyFrom(at, tile, 0, n);
        }
    }
}

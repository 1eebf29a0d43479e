package io.psf.builtin.initializer;

import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;

/**
 * Generates initial values. Each value is a function of its element's index in the whole tensor. Immutable and
 * thread-safe. A user's own is a record with {@link io.psf.api.PsInitializer}, whose components are the named
 * arguments.
 */
@FunctionalInterface
public interface Generator {
    /** Returns the value of an element with index {@code row * width + column}. */
    float value(long element);

    /**
     * Returns a random number for an element, uniform in (0, 1): the same for the same arguments, on any machine.
     *
     * @param draw the number of the draw, from 0, for a generator that needs several of an element
     */
    static double uniform(long seed, long element, int draw) {
        return Counter.uniform(Counter.stream(Counter.key(seed), element), draw);
    }

    /** Like {@link #uniform}, with the standard normal distribution. */
    static double normal(long seed, long element, int draw) {
        return Gauss.quantile(uniform(seed, element, draw));
    }

    /**
     * Returns the index of the first element of a key's row in a growing table: {@code key * width}, as in a table with
     * a fixed number of rows, if the key is at least 0 and less than (2^63 - 1) / width, and otherwise {@link
     * TensorLayout#hash hash(key)} {@code * width}, modulo 2^64.
     *
     * @param width the number of floats in a row
     */
    static long firstElement(long key, int width) {
        boolean likeAFixedTable = key >= 0 && key < Long.MAX_VALUE / width;
        return (likeAFixedTable ? key : TensorLayout.hash(key)) * width; // key * width would lose high bits
    }

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

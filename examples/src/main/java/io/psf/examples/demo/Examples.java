package io.psf.examples.demo;

import java.util.Arrays;

/**
 * Examples in the form of the model's input.
 *
 * @param fields the number of categorical fields of an example
 * @param numerics the number of numeric features of an example
 * @param keys [n, fields] int64, the row of the parameter tables that each field's value stands for
 * @param numbers [n, numerics] float32, standardised
 * @param labels [n] float32, 0 or 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Examples(int fields, int numerics, long[] keys, float[] numbers, float[] labels) {
    /** Returns the number of examples. */
    public int size() {
        return labels.length;
    }

    /** Returns the examples from {@code begin} to {@code end}, exclusive. */
    public Examples slice(int begin, int end) {
        return new Examples(
                fields,
                numerics,
                Arrays.copyOfRange(keys, begin * fields, end * fields),
                Arrays.copyOfRange(numbers, begin * numerics, end * numerics),
                Arrays.copyOfRange(labels, begin, end));
    }

    /**
     * Returns the portion of one worker. All portions have the same size, so that all workers take the same number of
     * steps. The remaining examples, at most {@code workers - 1}, are not used.
     */
    public Examples portion(int rank, int workers) {
        int each = size() / workers;
        return slice(rank * each, (rank + 1) * each);
    }

    /** Returns a copy in random order. */
    public Examples shuffled(long seed) {
        int[] order = Shuffle.order(size(), seed);
        Examples other = new Examples(
                fields, numerics, new long[keys.length], new float[numbers.length], new float[labels.length]);
        for (int i = 0; i < order.length; i++) {
            System.arraycopy(keys, order[i] * fields, other.keys, i * fields, fields);
            System.arraycopy(numbers, order[i] * numerics, other.numbers, i * numerics, numerics);
            other.labels[i] = labels[order[i]];
        }
        return other;
    }
}

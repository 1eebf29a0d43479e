package io.psf.examples.demo;

import java.util.Arrays;

/**
 * Examples as the model takes them.
 *
 * @param fields categorical fields of an example
 * @param numerics numeric features of an example
 * @param keys [n, fields] int64, the row of the parameter tables that each field's value stands for
 * @param numbers [n, numerics] float32, standardised
 * @param labels [n] float32, 0 or 1
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Examples(int fields, int numerics, long[] keys, float[] numbers, float[] labels) {
    /** How many examples. */
    int size() {
        return labels.length;
    }

    /** The examples from {@code begin} up to, but without, {@code end}. */
    Examples slice(int begin, int end) {
        return new Examples(
                fields,
                numerics,
                Arrays.copyOfRange(keys, begin * fields, end * fields),
                Arrays.copyOfRange(numbers, begin * numerics, end * numerics),
                Arrays.copyOfRange(labels, begin, end));
    }

    /**
     * The portion of one worker. Portions have the same size, so that all workers take the same number of steps; the up
     * to {@code workers - 1} examples that are left over belong to nobody.
     */
    Examples portion(int rank, int workers) {
        int each = size() / workers;
        return slice(rank * each, (rank + 1) * each);
    }

    /** The same examples in another order. */
    Examples shuffled(long seed) {
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

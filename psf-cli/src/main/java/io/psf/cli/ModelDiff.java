package io.psf.cli;

import io.psf.api.TensorInfo;
import io.psf.builtin.Model;
import java.util.Arrays;

/**
 * Compares the values of a tensor in two steps: reads the rows of the newer one, and looks each batch up in the older
 * one.
 */
final class ModelDiff {
    /** The most floats of a batch. */
    private static final int FLOATS = 1 << 18;

    private final Model older;
    private final TensorInfo tensor;
    /** [batch], the keys of the newer step. */
    private final long[] keys;
    /** [batch, width] */
    private final float[] values;

    private int size;
    private long found;
    private long changed;
    private long added;
    private double largest;

    private ModelDiff(Model older, TensorInfo tensor) {
        this.older = older;
        this.tensor = tensor;
        this.keys = new long[Math.max(1, FLOATS / tensor.width())];
        this.values = new float[Math.multiplyExact(keys.length, tensor.width())];
    }

    /**
     * How a tensor differs.
     *
     * @param changed the rows with another value
     * @param added the rows that the older step does not have
     * @param removed the rows that the newer step does not have
     * @param largest the largest difference of two values of a row that both steps have; NaN if one of them is NaN
     */
    record Result(long changed, long added, long removed, double largest) {}

    /** Compares a tensor that has the same width in both steps, and grows in both or in none. */
    static Result of(Model older, Model newer, TensorInfo tensor) {
        ModelDiff diff = new ModelDiff(older, older.tensor(tensor.id()).info());
        newer.rows(tensor.id(), diff::add);
        diff.compare();
        return new Result(diff.changed, diff.added, older.count(tensor.id()) - diff.found, diff.largest);
    }

    private void add(long key, float[] row) {
        if (!tensor.grows() && key >= tensor.rows()) {
            added++;
            return;
        }
        keys[size] = key;
        System.arraycopy(row, 0, values, size * row.length, row.length);
        size++;
        if (size == keys.length) {
            compare();
        }
    }

    private void compare() {
        int[] next = {0};
        long before = found;
        older.rows(tensor.id(), Arrays.copyOf(keys, size), (key, row) -> {
            while (keys[next[0]] != key) { // the rows come in the order of the keys
                next[0]++;
            }
            compare(row, next[0] * row.length);
            found++;
        });
        added += size - (found - before);
        size = 0;
    }

    private void compare(float[] row, int at) {
        if (!Arrays.equals(row, 0, row.length, values, at, at + row.length)) {
            changed++;
            for (int i = 0; i < row.length; i++) {
                largest = Math.max(largest, Math.abs((double) row[i] - values[at + i]));
            }
        }
    }
}

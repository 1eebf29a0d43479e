package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.array.IntArray;
import io.psf.api.array.SharedArray;
import org.jspecify.annotations.Nullable;

/**
 * Rows of different lengths of a request, grouped by slice.
 *
 * @param values all rows, one after the other
 * @param order the elements' indices, grouped by slice; null if the elements are grouped already
 * @param starts [slices + 1], the beginning of each slice's group
 */
record RaggedRows(SharedArray values, int @Nullable [] order, int[] starts) {
    void write(int slice, TupleWriter out) {
        if (order == null) {
            out.range(values, starts[slice], starts[slice + 1]);
        } else {
            out.rows(values, order, starts[slice], starts[slice + 1], 1, null);
        }
    }

    /**
     * Returns the beginning of each row, and the end of the last row; [counts + 1].
     *
     * @param blame the code of the failure if a count is below 0
     */
    static int[] begins(IntArray counts, PsException.Code blame, String name) {
        int[] begins = new int[counts.length() + 1];
        for (int i = 0; i < counts.length(); i++) {
            int count = counts.get(i);
            if (count < 0) {
                throw new PsException(
                        blame, "elements of row " + i + " of " + name + ": " + count + " (expected: >= 0)");
            }
            begins[i + 1] = Concatenation.length((long) begins[i] + count);
        }
        return begins;
    }
}

package io.psf.api.spi;

import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.List;

/**
 * The caller's positions whose keys also occur at earlier positions, grouped by slice.
 *
 * @param combine how the rows of equal keys are combined
 * @param positions the positions, ascending within a slice
 * @param rows for each position, the row of its key among the keys that are sent to the key's slice
 * @param starts [slices + 1], the beginning of each slice's group
 * @param slice the slice whose group the methods use
 */
record Repeats(Reduction combine, int[] positions, int[] rows, int[] starts, int slice) {
    Repeats ofSlice(int slice) {
        return new Repeats(combine, positions, rows, starts, slice);
    }

    private int begin() {
        return starts[slice];
    }

    private int end() {
        return starts[slice + 1];
    }

    /**
     * Folds the rows of the positions into the copied rows of the keys' first positions.
     *
     * @param array [positions, width], the caller's array
     * @param sent [keys of the slice, width]
     */
    void fold(SharedArray array, SharedArray sent, int width) {
        if (combine == Reduction.LAST) {
            for (int i = begin(); i < end(); i++) {
                sent.copyRow(rows[i], array, positions[i], width);
            }
        } else {
            Folds.rows(combine, sent, rows, array, positions, begin(), end(), width);
        }
    }

    /** Copies rows of the slice's answer to the positions. */
    void scatter(SharedArray answer, SharedArray target, int width) {
        for (int i = begin(); i < end(); i++) {
            target.copyRow(positions[i], answer, rows[i], width);
        }
    }

    /** Sets elements of the slice's answer at the positions. */
    <E> void scatter(List<E> answer, List<E> target) {
        for (int i = begin(); i < end(); i++) {
            target.set(positions[i], answer.get(rows[i]));
        }
    }

    /** Copies rows of the slice's answer, of different lengths, to the positions; see {@link KeySet#scatterRagged}. */
    void scatterRagged(int[] from, int[] begins, SharedArray answer, SharedArray target) {
        for (int i = begin(); i < end(); i++) {
            target.copyFrom(begins[positions[i]], answer.slice(from[rows[i]], from[rows[i] + 1]));
        }
    }
}

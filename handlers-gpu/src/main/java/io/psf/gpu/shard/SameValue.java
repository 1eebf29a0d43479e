package io.psf.gpu.shard;

/**
 * The host's knowledge of an array with one float for each row: whether all rows have the same value. The steps of rows
 * are counted here while each step is one of all rows. No kernel reads or writes their numbers then.
 */
final class SameValue {
    private final int rows;
    private boolean isSame = true;
    private float value;
    /** True if the array in memory does not have the value yet. */
    private boolean isBehind;
    /** The number of rows, from 0 on, that were written one after the other, all of them with one value. */
    private int written;

    private float ofWritten;

    /** All rows have the value 0. */
    SameValue(int rows) {
        this.rows = rows;
    }

    /** True if all rows have the {@link #value}. */
    boolean isSame() {
        return isSame;
    }

    float value() {
        return value;
    }

    boolean isBehind() {
        return isBehind;
    }

    /** The array has the value now. */
    void isWritten() {
        isBehind = false;
    }

    /** All rows have a value from now on, which the array does not have yet. */
    void set(float same) {
        isSame = true;
        value = same;
        isBehind = true;
        written = 0;
    }

    /** Any row may have changed, in the array. */
    void changed() {
        isSame = false;
        written = 0;
    }

    /**
     * Rows were written to the array: a checkpoint is loaded in pieces, one after the other.
     *
     * @param row the first row
     * @param before {@link #written} before the array was written to
     * @param first the value of the first row
     * @param areEqual true if the others have it, too
     */
    void wrote(int row, int n, int before, float first, boolean areEqual) {
        boolean continues = row == 0 || (row == before && first == ofWritten);
        written = continues && areEqual ? row + n : 0;
        ofWritten = first;
        if (written == rows) {
            isSame = true;
            value = first;
        }
    }

    int written() {
        return written;
    }
}

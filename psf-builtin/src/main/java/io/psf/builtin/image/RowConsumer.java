package io.psf.builtin.image;

/** Receives the rows of a saved tensor. */
@FunctionalInterface
public interface RowConsumer {
    /**
     * Receives a row.
     *
     * @param values [width] float32; overwritten by the next row
     */
    void row(long key, float[] values);
}

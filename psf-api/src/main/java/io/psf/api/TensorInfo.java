package io.psf.api;

/**
 * What every node knows of a tensor.
 *
 * @param id its name
 * @param rows how many rows, at least 1; {@link #GROWING} of a table whose rows are made when their keys first come
 * @param width floats in a row, at least 1
 */
public record TensorInfo(TensorId id, long rows, int width) {
    /**
     * In the place of a number of rows: any int64 is a key, and its row is made when it first comes. One more than all that
     * hashes of keys can be, and more than any tensor could have.
     */
    public static final long GROWING = (1L << 62) + 1;

    public TensorInfo {
        if (rows < 1) {
            throw new IllegalArgumentException("rows of tensor \"" + id + "\": " + rows + " (expected: >= 1)");
        }
        if (width < 1) {
            throw new IllegalArgumentException("width of tensor \"" + id + "\": " + width + " (expected: >= 1)");
        }
    }

    /** Whether rows are made when their keys first come. */
    public boolean grows() {
        return rows == GROWING;
    }

    /** {@code [rows, width]}, for messages. */
    public String shape() {
        return "[" + (grows() ? "growing" : rows) + ", " + width + "]";
    }
}

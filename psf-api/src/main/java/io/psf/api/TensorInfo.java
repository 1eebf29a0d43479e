package io.psf.api;

/**
 * What every node knows of a tensor.
 *
 * @param id its name
 * @param rows how many rows, at least 1
 * @param width floats in a row, at least 1
 */
public record TensorInfo(TensorId id, long rows, int width) {
    public TensorInfo {
        if (rows < 1) {
            throw new IllegalArgumentException("rows of tensor \"" + id + "\": " + rows + " (expected: >= 1)");
        }
        if (width < 1) {
            throw new IllegalArgumentException("width of tensor \"" + id + "\": " + width + " (expected: >= 1)");
        }
    }
}

package io.psf.api;

import io.psf.api.array.FloatTypes;
import java.io.Serializable;

/**
 * The description of a tensor, known to every node.
 *
 * @param id the tensor's name
 * @param rows the number of rows, at least 1; {@link #GROWING} for a table whose rows are created when their keys are
 *     first used
 * @param width the number of floats in a row, at least 1
 * @param types the number formats of the values in the servers' memory and on the wire
 */
public record TensorInfo(TensorId id, long rows, int width, FloatTypes types) implements Serializable {
    /**
     * The number of rows of a growing table: any int64 is a key, and its row is created when the key is first used. The
     * value is one more than the greatest position of a key's hash, and more than the rows of any other tensor.
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

    /** Creates the description of a tensor whose values are stored and sent as float32. */
    public TensorInfo(TensorId id, long rows, int width) {
        this(id, rows, width, FloatTypes.FLOAT32);
    }

    /** Returns this tensor with other number formats. */
    public TensorInfo withTypes(FloatTypes types) {
        return new TensorInfo(id, rows, width, types);
    }

    /** True if rows are created when their keys are first used. */
    public boolean grows() {
        return rows == GROWING;
    }

    /** Returns {@code [rows, width]}, for messages. */
    public String shape() {
        return "[" + (grows() ? "growing" : rows) + ", " + width + "]";
    }

    @Override
    public String toString() {
        return id + " " + shape() + (types.equals(FloatTypes.FLOAT32) ? "" : " " + types);
    }
}

package io.psf.interchange;

import io.psf.api.PsException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An array and where it is.
 *
 * @param file the file
 * @param info name, type and shape
 * @param known the type of the elements; null if it is not imported
 * @param offset the position of the first byte in the file
 */
record FileArray(Path file, ArrayInfo info, @Nullable ElementFormat known, long offset) {
    /**
     * Returns the type of the elements.
     *
     * @throws PsException with {@code BAD_REQUEST} if it is not imported
     */
    ElementFormat format() {
        if (known == null) {
            throw bad("type " + info.type(), "float32, or float16, bfloat16 or float64, little-endian; of keys int64");
        }
        return known;
    }

    /** Checks that the array consists of rows of floats, in any number of dimensions. */
    void requireRows(long rows, int width, String tensor) {
        if (format() == ElementFormat.I64) {
            throw bad("type " + info.type(), "floats");
        }
        List<Long> shape = info.shape();
        long first = shape.isEmpty() ? 1 : shape.get(0);
        if (first != rows || info.elements() != rows * width) {
            throw bad(
                    "shape " + shape,
                    "[" + rows + ", " + width + "] of tensor \"" + tensor + "\", or " + rows
                            + " in the first dimension and a product of " + width + " in the others");
        }
    }

    /** Checks that the array consists of keys, and returns their number. */
    long requireKeys() {
        if (info.shape().size() != 1) {
            throw bad("shape " + info.shape(), "one dimension of keys");
        }
        if (format() != ElementFormat.I64) {
            throw bad("type " + info.type(), "int64, since they are keys");
        }
        return info.shape().get(0);
    }

    private PsException bad(String found, String expected) {
        String array = info.name().isEmpty() ? "" : ", array \"" + info.name() + "\"";
        return new PsException(
                PsException.Code.BAD_REQUEST, file + array + ": " + found + " (expected: " + expected + ")");
    }
}

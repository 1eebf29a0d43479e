package io.psf.interchange;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An array and where it is.
 *
 * @param file the file
 * @param info name, type and shape
 * @param known the type of the elements; null if it is not imported
 * @param offset the position of the first byte in the file
 */
record FileArray(Path file, ArrayInfo info, @Nullable ElementFormat known, long offset) implements FileColumn {
    /**
     * Returns the type of the elements.
     *
     * @throws PsException with {@code BAD_REQUEST} if it is not imported
     */
    ElementFormat format() {
        if (known == null) {
            throw bad(
                    "type " + info.type(),
                    "float32, or float16, bfloat16 or float64, little-endian; of keys int64 or int32");
        }
        return known;
    }

    /** Returns the number of rows, the first dimension. */
    long rows() {
        return info.shape().isEmpty() ? 1 : info.shape().get(0);
    }

    /** Returns the floats of a row: the product of the other dimensions. Checks that the array consists of floats. */
    int requireWidth() {
        if (format().isInteger()) {
            throw bad("type " + info.type(), "floats");
        }
        long width = rows() == 0 ? 0 : info.elements() / rows();
        if (width < 1 || width > Integer.MAX_VALUE) {
            throw bad("shape " + info.shape(), "rows of 1 to " + Integer.MAX_VALUE + " floats");
        }
        return (int) width;
    }

    @Override
    public NumberReader open() throws IOException {
        ArrayReader in = new ArrayReader(file, offset);
        ElementFormat format = format();
        return new NumberReader() {
            @Override
            public float[] floats(int n) throws IOException {
                return in.floats(format, n);
            }

            @Override
            public long[] longs(int n) throws IOException {
                return in.longs(format, n);
            }

            @Override
            public void close() throws IOException {
                in.close();
            }
        };
    }

    /** Checks that the array consists of keys, and returns their number. */
    long requireKeys() {
        if (info.shape().size() != 1) {
            throw bad("shape " + info.shape(), "one dimension of keys");
        }
        if (!format().isInteger()) {
            throw bad("type " + info.type(), "int64 or int32, since they are keys");
        }
        return info.shape().get(0);
    }

    /** Returns the file and the array's name, for messages. */
    String place() {
        return file + (info.name().isEmpty() ? "" : ", array \"" + info.name() + "\"");
    }

    private PsException bad(String found, String expected) {
        return new PsException(PsException.Code.BAD_REQUEST, place() + ": " + found + " (expected: " + expected + ")");
    }
}

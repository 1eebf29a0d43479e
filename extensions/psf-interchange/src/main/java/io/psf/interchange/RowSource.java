package io.psf.interchange;

import io.psf.api.TensorInfo;
import java.io.IOException;
import java.nio.file.Path;

/** The rows of a tensor that are exported: the servers have them, or a checkpoint. */
interface RowSource {
    TensorInfo tensor();

    /** Writes all rows of a tensor that does not grow. */
    void exportRows(ArrayWriter out) throws IOException;

    /** Writes the keys of a growing table. Returns their number. */
    long exportKeys(ArrayWriter out) throws IOException;

    /**
     * Writes the rows of keys.
     *
     * @param keys the file with the keys that {@link #exportKeys} has written
     * @param offset the position of the first key
     * @param n the number of keys
     */
    void exportRows(Path keys, long offset, long n, ArrayWriter out) throws IOException;
}

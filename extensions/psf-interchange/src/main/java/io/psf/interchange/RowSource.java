package io.psf.interchange;

import io.psf.api.TensorInfo;
import io.psf.builtin.Model;
import java.io.IOException;
import java.nio.file.Path;

/** The rows of a tensor that are exported: the servers have them, or a checkpoint. */
interface RowSource {
    TensorInfo tensor();

    /** Reads all rows: in the order of the keys, or of a growing table in any order. */
    void each(Model.Rows rows);

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

package io.psf.interchange;

import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.Model;
import java.nio.file.Path;

/**
 * Exports a tensor to npy files, the format of {@code numpy.save}, and imports it. The files are this worker's, version
 * 1.0, in C order. As with {@link Safetensors}, only values are copied, piece by piece.
 */
public final class Npy {
    private Npy() {}

    /**
     * Writes a tensor as float32 [rows, width], or [rows] if its width is 1, or replaces the file when everything is
     * written.
     *
     * @throws PsException with {@code STORAGE} if the file cannot be written; with {@code BAD_REQUEST} if the tensor
     *     grows
     */
    public static void save(TensorCaller worker, TensorId tensor, Path file) {
        NpyFile.save(new RowTransfer(worker, require(worker, tensor, false)), file);
    }

    /**
     * Writes a growing table: its keys as int64 [n] and their rows as float32 [n, width]. If rows are removed
     * meanwhile, a key may occur twice.
     *
     * @throws PsException with {@code STORAGE} if a file cannot be written; with {@code BAD_REQUEST} if the tensor does
     *     not grow
     */
    public static void save(TensorCaller worker, TensorId table, Path keys, Path values) {
        NpyFile.save(new RowTransfer(worker, require(worker, table, true)), keys, values);
    }

    /**
     * Writes a tensor of a checkpoint, without a cluster, as {@link #save(TensorCaller, TensorId, Path)}.
     *
     * @throws PsException with {@code STORAGE} if the file cannot be written, or the checkpoint is damaged; with {@code
     *     BAD_REQUEST} if the step does not have the tensor, or the tensor grows
     */
    public static void save(Model model, TensorId tensor, Path file) {
        NpyFile.save(new SavedRows(model, require(model.tensor(tensor).info(), false)), file);
    }

    /**
     * Writes a growing table of a checkpoint, without a cluster, as {@link #save(TensorCaller, TensorId, Path, Path)}.
     *
     * @throws PsException with {@code STORAGE} if a file cannot be written, or the checkpoint is damaged; with {@code
     *     BAD_REQUEST} if the step does not have the tensor, or the tensor does not grow
     */
    public static void save(Model model, TensorId table, Path keys, Path values) {
        NpyFile.save(new SavedRows(model, require(model.tensor(table).info(), true)), keys, values);
    }

    /**
     * Sets an initialized tensor to the array of a file: float32, float16 or float64, little-endian, in C order. The
     * array may have more dimensions, as with {@link Safetensors#load(TensorCaller, Path, java.util.Map)}, and fewer
     * rows: the others stay as they are.
     *
     * @throws PsException with {@code STORAGE} if the file cannot be read or is damaged; with {@code BAD_REQUEST} if
     *     the array has another shape or type, or if the tensor grows
     */
    public static void load(TensorCaller worker, TensorId tensor, Path file) {
        var unused = require(worker, tensor, false);
        VectorFile.npy(file).load(worker, tensor);
    }

    /**
     * Sets rows of an initialized growing table, as {@link #load(TensorCaller, TensorId, Path)}. Rows of other keys
     * stay.
     *
     * @param keys int64 [n]
     * @param values [n, width]
     */
    public static void load(TensorCaller worker, TensorId table, Path keys, Path values) {
        var unused = require(worker, table, true);
        VectorFile.npy(keys, values).load(worker, table);
    }

    private static TensorInfo require(TensorCaller worker, TensorId tensor, boolean grows) {
        return require(worker.layout(tensor).info(), grows);
    }

    private static TensorInfo require(TensorInfo info, boolean grows) {
        if (info.grows() != grows) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + info.id() + "\": " + info.shape() + " (expected: "
                            + (grows ? "no file of keys, since it does not grow" : "a file of keys, since it grows")
                            + ")");
        }
        return info;
    }
}

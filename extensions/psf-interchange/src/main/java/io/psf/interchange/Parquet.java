package io.psf.interchange;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.Model;
import java.nio.file.Path;

/**
 * Exports a tensor to a Parquet file, which Spark, DuckDB, pandas and others read, and imports it. The file has a row
 * for each row of the tensor: {@code key}, an int64, and {@code vector}, a list of float32. It is not compressed, and
 * has groups of about 16 MiB, one of which is in memory.
 */
public final class Parquet {
    private Parquet() {}

    /**
     * Writes a tensor of the servers, or replaces the file when everything is written. Pushes between two of its calls
     * are in only a part of the file, as with {@link Safetensors}.
     *
     * @throws io.psf.api.PsException with {@code STORAGE} if the file cannot be written
     */
    public static void save(TensorCaller worker, TensorId tensor, Path file) {
        ParquetTable.save(new RowTransfer(worker, worker.layout(tensor).info()), file);
    }

    /**
     * Writes a tensor of a checkpoint, without a cluster.
     *
     * @throws io.psf.api.PsException with {@code STORAGE} if the file cannot be written, or the checkpoint is damaged;
     *     with {@code BAD_REQUEST} if the step does not have the tensor
     */
    public static void save(Model model, TensorId tensor, Path file) {
        ParquetTable.save(new SavedRows(model, model.tensor(tensor).info()), file);
    }

    /**
     * Writes a tensor of a checkpoint with a column for each slot: the state of its optimizer, and the slots of
     * functions. Attachments are not in the file.
     *
     * @throws io.psf.api.PsException as {@link #save(Model, TensorId, Path)}; with {@code BAD_REQUEST} if a slot is
     *     called {@code key} or {@code vector}
     */
    public static void saveWithStates(Model model, TensorId tensor, Path file) {
        ParquetTable.save(model, model.tensor(tensor), file);
    }

    /** Sets rows of an initialized tensor: {@link VectorFile#parquet(Path)} and {@link VectorFile#load}. */
    public static void load(TensorCaller worker, TensorId tensor, Path file) {
        VectorFile.parquet(file).load(worker, tensor);
    }
}

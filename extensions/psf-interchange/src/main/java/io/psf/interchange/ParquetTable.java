package io.psf.interchange;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.builtin.Model;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Saves a tensor to a Parquet file: its keys, its vectors, and the slots of a checkpoint. */
final class ParquetTable {
    static final String KEY = "key";
    static final String VECTOR = "vector";

    // The names of psf's texts about a file.
    static final String TENSOR = "psf.tensor";
    static final String ROWS = "psf.rows";
    static final String OPTIMIZER = "psf.optimizer";
    /** The value of {@link #ROWS} of a tensor that does not grow. */
    static final String FIXED = "fixed";

    private ParquetTable() {}

    /** Writes the rows of a tensor, or replaces the file. */
    static void save(RowSource source, Path file) {
        TensorInfo tensor = source.tensor();
        write(
                file,
                tensor,
                Map.of(VECTOR, tensor.width()),
                texts(tensor),
                out -> source.each((key, values) -> out.row(key, values)));
    }

    /**
     * Writes a tensor of a checkpoint with its slots, or replaces the file.
     *
     * @throws PsException with {@code BAD_REQUEST} if a slot has the name of another column
     */
    static void save(Model model, Model.Tensor tensor, Path file) {
        Map<String, Integer> columns = new LinkedHashMap<>();
        columns.put(VECTOR, tensor.info().width());
        List<String> slots = new ArrayList<>(new TreeMap<>(tensor.slots()).keySet());
        for (String each : slots) {
            if (each.equals(KEY) || columns.put(each, tensor.slots().getOrDefault(each, 1)) != null) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "slot of tensor \"" + tensor.info().id() + "\": " + each + " (expected: none of " + KEY
                                + " and " + VECTOR + ", which are columns of the file)");
            }
        }
        Map<String, String> texts = texts(tensor.info());
        texts.put(OPTIMIZER, tensor.optimizer());
        write(
                file,
                tensor.info(),
                columns,
                texts,
                out -> model.rows(tensor.info().id(), slots, out::row));
    }

    private static Map<String, String> texts(TensorInfo tensor) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put(TENSOR, tensor.id().name());
        texts.put(ROWS, tensor.grows() ? "growing" : FIXED);
        return texts;
    }

    /** Receives rows, each with its columns. */
    private interface Rows {
        void row(long key, float[]... columns);
    }

    /** Reads all rows of a tensor. */
    private interface AllRows {
        void each(Rows rows);
    }

    private static void write(
            Path file, TensorInfo tensor, Map<String, Integer> columns, Map<String, String> texts, AllRows rows) {
        try (ArrayWriter out = new ArrayWriter(file)) {
            ParquetWriter parquet = new ParquetWriter(out, KEY, columns);
            rows.each((key, row) -> {
                try {
                    parquet.row(key, row);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            parquet.finish(texts);
            out.commit();
        } catch (IOException | UncheckedIOException e) {
            Throwable why = e instanceof UncheckedIOException unchecked ? unchecked.getCause() : e;
            throw new PsException(
                    PsException.Code.STORAGE,
                    "writing tensor \"" + tensor.id() + "\" to " + file.toAbsolutePath() + ": " + why,
                    why);
        }
    }
}

package io.psf.interchange;

import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.ModelWriter;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Vectors in files of another tool, and their keys if the files have them. A table of a running cluster begins from
 * them ({@link #load}), or a checkpoint is made of them without a cluster ({@link #addTo}).
 *
 * <pre>{@code
 * TensorId words = Tensors.init(worker, TensorSpec.growing("words", 300).optimizer(Optimizers.adam(0.001)));
 * VectorFile.parquet(Path.of("words.parquet")).load(worker, words);
 * }</pre>
 *
 * <p>The vectors are float32, or float64, float16 or, in safetensors, bfloat16, which are converted; NaN and infinite
 * values are taken as they are. Keys are any int64 or int32. Rows are read in pieces of at most 1 MiB, or one row; of a
 * Parquet file one page of each column is in memory. Each method throws {@link PsException}: with {@code STORAGE} if a
 * file cannot be read or is damaged, with {@code BAD_REQUEST} if its content is of another type or shape.
 */
public final class VectorFile {
    private static final String PARQUET = ".parquet";
    private static final String NPY = ".npy";
    private static final String KEYS = ".keys.npy";
    private static final String VALUES = ".values.npy";

    private final String place;
    private final String name;
    private final long rows;
    private final int width;
    private final @Nullable FileColumn keys;
    private final FileColumn values;
    private final Map<String, String> texts;
    private final Map<String, Slot> slots;

    /** A state of the optimizer. */
    record Slot(int width, FileColumn values) {}

    private VectorFile(
            String place,
            String name,
            long rows,
            int width,
            @Nullable FileColumn keys,
            FileColumn values,
            Map<String, String> texts,
            Map<String, Slot> slots) {
        this.place = place;
        this.name = name;
        this.rows = rows;
        this.width = width;
        this.keys = keys;
        this.values = values;
        this.texts = texts;
        this.slots = slots;
    }

    /**
     * Opens all tables of a file by its name: {@code *.safetensors}; {@code NAME.npy}, or {@code NAME.keys.npy} and
     * {@code NAME.values.npy}, either of which stands for both; {@code *.parquet}, or a folder with such files. A name
     * may have {@code %XX} for letters that no file name may have.
     *
     * @throws PsException with {@code BAD_REQUEST} if the name ends in another way
     */
    public static List<VectorFile> open(Path file) {
        String path = file.toString();
        if (path.endsWith(".safetensors")) {
            List<VectorFile> tables = new ArrayList<>();
            SafetensorsFile.tensors(file).forEach((name, arrays) -> tables.add(of(name, arrays)));
            return tables;
        } else if (path.endsWith(KEYS) || path.endsWith(VALUES)) {
            String start = start(file, path.endsWith(KEYS) ? KEYS : VALUES);
            return List.of(npy(file.resolveSibling(start + KEYS), file.resolveSibling(start + VALUES)));
        } else if (path.endsWith(NPY)) {
            return List.of(npy(file));
        } else if (path.endsWith(PARQUET) || Files.isDirectory(file)) {
            return List.of(parquet(file));
        }
        throw new PsException(
                PsException.Code.BAD_REQUEST,
                "name of file " + file.toAbsolutePath() + " (expected: *.parquet or a folder of such files, *.npy or"
                        + " *.safetensors)");
    }

    /** Opens a Parquet file, or a folder of them, with the columns {@code key} and {@code vector}. */
    public static VectorFile parquet(Path file) {
        return parquet(file, ParquetTable.KEY, ParquetTable.VECTOR);
    }

    /**
     * Opens a Parquet file, or a folder with parts of one table.
     *
     * @param key the name of a column of int64 or int32
     * @param vector the name of a column of lists of floats, all of one length, or of floats; none is null
     */
    public static VectorFile parquet(Path file, String key, String vector) {
        List<ParquetFile> files = parts(file).stream().map(ParquetFile::open).toList();
        ParquetFile first = files.get(0);
        ParquetColumn column = new ParquetColumn(files, vector);
        int width = column.width();
        Map<String, Slot> slots = new LinkedHashMap<>();
        if (first.texts().containsKey(ParquetTable.OPTIMIZER)) {
            Set<String> names = new TreeSet<>(first.columns().keySet());
            names.removeAll(Set.of(key, vector));
            for (String each : names) {
                ParquetColumn slot = new ParquetColumn(files, each);
                slots.put(each, new Slot(slot.width(), slot.requireVectors(slot.width())));
            }
        }
        return new VectorFile(
                file.toAbsolutePath().toString(),
                first.texts().getOrDefault(ParquetTable.TENSOR, nameOf(file, PARQUET)),
                files.stream().mapToLong(ParquetFile::rows).sum(),
                width,
                new ParquetColumn(files, key).requireKeys(),
                column.requireVectors(width),
                first.texts(),
                slots);
    }

    private static List<Path> parts(Path file) {
        if (!Files.isDirectory(file)) {
            return List.of(file);
        }
        List<Path> parts = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(file, "*" + PARQUET)) {
            all.forEach(parts::add);
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, "reading " + file.toAbsolutePath() + ": " + e, e);
        }
        if (parts.isEmpty()) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "folder " + file.toAbsolutePath() + ": no files (expected: *.parquet, parts of one table)");
        }
        parts.sort(null);
        return parts;
    }

    /** Opens a npy file with vectors: [rows, width], or [rows]. The rows have the keys 0, 1, 2 .. */
    public static VectorFile npy(Path values) {
        return of(nameOf(values, NPY), List.of(NpyFile.array(values)));
    }

    /**
     * Opens two npy files.
     *
     * @param keys [rows] int64 or int32
     * @param values [rows, width], or [rows]
     */
    public static VectorFile npy(Path keys, Path values) {
        return of(nameOf(values, VALUES), List.of(NpyFile.array(keys), NpyFile.array(values)));
    }

    /**
     * Returns the names of the tables of a safetensors file, in its order: each array is a table without keys, but the
     * arrays {@code NAME.keys} and {@code NAME.values} are one table, with keys. Arrays of other types are named, too.
     */
    public static List<String> names(Path safetensors) {
        return List.copyOf(SafetensorsFile.tensors(safetensors).keySet());
    }

    /**
     * Opens a table of a safetensors file.
     *
     * @param name one of {@link #names}
     */
    public static VectorFile safetensors(Path file, String name) {
        return of(name, SafetensorsFile.tensor(file, name));
    }

    private static VectorFile of(String name, List<FileArray> arrays) {
        FileArray values = arrays.get(arrays.size() - 1);
        FileArray keys = arrays.size() == 1 ? null : arrays.get(0);
        if (keys != null && keys.requireKeys() != values.rows()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    values.place() + ": " + values.rows() + " rows (expected: " + keys.requireKeys()
                            + ", a row for each key)");
        }
        return new VectorFile(
                values.place(),
                name,
                values.rows(),
                values.rows() == 0 ? 0 : values.requireWidth(),
                keys,
                values,
                Map.of(),
                Map.of());
    }

    private static String start(Path file, String suffix) {
        Path last = file.toAbsolutePath().normalize().getFileName();
        String name = last == null ? "" : last.toString();
        return name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
    }

    private static String nameOf(Path file, String suffix) {
        String start = start(file, suffix);
        try {
            return URLDecoder.decode(start.replace("+", "%2B"), StandardCharsets.UTF_8); // as ./psf model export has it
        } catch (IllegalArgumentException e) {
            return start;
        }
    }

    /** Returns the name that the file has for the table; of a file without names the file's own. */
    public String name() {
        return name;
    }

    /** Returns the number of rows. */
    public long rows() {
        return rows;
    }

    /** Returns the floats of a row; 0 if there are no rows. */
    public int width() {
        return width;
    }

    /** Returns true if the rows have keys of their own: not 0, 1, 2 .. in order. */
    public boolean hasKeys() {
        return keys != null && !ParquetTable.FIXED.equals(texts.get(ParquetTable.ROWS));
    }

    /** Returns the optimizer whose states the file has; empty if it was not exported with its states. */
    public String optimizer() {
        return texts.getOrDefault(ParquetTable.OPTIMIZER, "");
    }

    /**
     * Sets rows of a tensor that is initialized. Other rows stay as they are, and so does the state of the optimizer.
     * One worker makes the call; no worker may push meanwhile. The rows of a table without keys are the rows 0, 1, 2 ..
     *
     * @throws PsException with {@code BAD_REQUEST} if the width differs, or a table without keys has more rows than the
     *     tensor; with {@code OUT_OF_RANGE} if a key is no row of the tensor; with {@code RESOURCE_EXHAUSTED} if a
     *     server has no memory for the rows
     */
    public void load(TensorCaller worker, TensorId tensor) {
        TensorInfo info = worker.layout(tensor).info();
        requireFit(info);
        try {
            new RowTransfer(worker, info).importRows(keys, values, rows);
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, "reading " + place + ": " + e, e);
        }
    }

    /** Checks that the rows are rows of a tensor, as far as that shows before the keys are read. */
    void requireFit(TensorInfo tensor) {
        boolean isWithin = keys != null || tensor.grows() || rows <= tensor.rows();
        if (rows > 0 && width != tensor.width() || !isWithin) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    place + ": shape [" + rows + ", " + width + "] (expected: " + tensor.shape()
                            + ", the shape of tensor \"" + tensor.id() + "\""
                            + (tensor.grows() ? "" : ", or fewer rows")
                            + ")");
        }
    }

    /**
     * Writes the vectors as a tensor of a checkpoint, with the states that a Parquet file has of the optimizer.
     *
     * @param grows true if the tensor grows. Otherwise the rows must have the keys 0, 1, 2 .. in order
     * @param optimizer the optimizer that goes on from the values, such as {@code psf.adam}; empty if any may, and its
     *     states begin anew
     * @return the number of rows that have a value which is not finite
     */
    public long addTo(ModelWriter model, TensorId tensor, boolean grows, String optimizer) {
        if (width == 0) {
            throw new PsException(PsException.Code.BAD_REQUEST, place + ": no rows (expected: one or more)");
        }
        TensorInfo info = new TensorInfo(tensor, grows ? TensorInfo.GROWING : rows, width);
        FileColumns columns = new FileColumns(
                place, info, optimizer, rows, keys, values, optimizer.equals(optimizer()) ? slots : Map.of());
        model.add(columns);
        return columns.notFinite();
    }

    /** Returns the file, and the array's name if it has several. */
    @Override
    public String toString() {
        return place;
    }
}

package io.psf.interchange;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.Model;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Exports tensors to a safetensors file, and imports them from one. The file is on the worker's machine. A tensor
 * becomes an array of float32 with the tensor's name and the shape [rows, width], or [rows] if the width is 1. A
 * growing table becomes two arrays: {@code NAME.keys}, [n] int64, and {@code NAME.values}, [n, width] float32.
 *
 * <pre>{@code
 * Safetensors.save(worker, Path.of("model.safetensors"), weights, embedding);
 * Safetensors.load(worker, Path.of("bert.safetensors"), Map.of("embeddings.word.weight", embedding));
 * }</pre>
 *
 * <p>Only values are copied: an import does not change the state of the optimizers. Each call copies at most 1 MiB, or
 * one row if a row is longer. Pushes by other workers between two of these calls are in only a part of the file, so let
 * no worker push while a consistent model is exported.
 */
public final class Safetensors {
    private Safetensors() {}

    /**
     * Writes a file. A file of that name is replaced once everything is written. If another worker removes rows of a
     * growing table during the export, a key may occur twice in the file.
     *
     * @param tensors the tensors; none means all tensors on the servers
     * @throws io.psf.api.PsException with {@code STORAGE} if the file cannot be written; with {@code BAD_REQUEST} if
     *     two arrays would have the same name
     */
    public static void save(TensorCaller worker, Path file, TensorId... tensors) {
        SafetensorsFile.save(
                file,
                infos(worker, tensors).stream()
                        .map(each -> new RowTransfer(worker, each))
                        .toList());
    }

    /**
     * Writes a file from a checkpoint, without a cluster. A file of that name is replaced once everything is written.
     *
     * @param tensors the tensors; none means all tensors of the step
     * @throws io.psf.api.PsException with {@code STORAGE} if the file cannot be written, or the checkpoint is damaged;
     *     with {@code BAD_REQUEST} if the step does not have a tensor, or two arrays would have the same name
     */
    public static void save(Model model, Path file, TensorId... tensors) {
        List<TensorInfo> infos = tensors.length == 0
                ? model.checkpoint().tensors()
                : Arrays.stream(tensors).map(each -> model.tensor(each).info()).toList();
        SafetensorsFile.save(
                file, infos.stream().map(each -> new SavedRows(model, each)).toList());
    }

    /**
     * Copies the arrays of a file to the tensors of the same names, as {@link #load(TensorCaller, Path, Map)} does.
     *
     * @param tensors initialized tensors; none means all tensors on the servers
     */
    public static void load(TensorCaller worker, Path file, TensorId... tensors) {
        Map<String, TensorId> arrays = new LinkedHashMap<>();
        infos(worker, tensors).forEach(each -> arrays.put(each.id().name(), each.id()));
        load(worker, file, arrays);
    }

    /**
     * Copies arrays of a file to tensors. An array of F16, BF16 or F64 is converted to float32. An array may have more
     * dimensions than its tensor: the first one is the number of rows, and the product of the others is the width. Rows
     * that the file does not have stay unchanged. Names, types and shapes are checked before any
     * tensor changes. An {@link EmbeddingCache} that exists already keeps its old values: create caches after the
     * import.
     *
     * @param arrays initialized tensors by the names of their arrays in the file; the name of a growing table is the
     *     name of its two arrays without {@code .keys} and {@code .values}
     * @throws io.psf.api.PsException with {@code STORAGE} if the file cannot be read or is damaged; with {@code
     *     BAD_REQUEST} if an array is missing, or has another shape or type; with {@code RESOURCE_EXHAUSTED} if a
     *     server has no memory for the rows of a growing table
     */
    public static void load(TensorCaller worker, Path file, Map<String, TensorId> arrays) {
        Map<TensorId, VectorFile> found = new LinkedHashMap<>();
        arrays.forEach((name, tensor) -> {
            VectorFile table = VectorFile.safetensors(file, name);
            table.requireFit(worker.layout(tensor).info());
            found.put(tensor, table);
        });
        found.forEach((tensor, table) -> table.load(worker, tensor));
    }

    /**
     * Lists the arrays of a file, in the order in which they are stored.
     *
     * @throws io.psf.api.PsException with {@code STORAGE} if the file cannot be read or is damaged
     */
    public static List<ArrayInfo> list(Path file) {
        return SafetensorsFile.list(file);
    }

    private static List<TensorInfo> infos(TensorCaller worker, TensorId... tensors) {
        return tensors.length == 0
                ? Tensors.list(worker).stream().map(TensorSummary::tensor).toList()
                : Arrays.stream(tensors).map(each -> worker.layout(each).info()).toList();
    }
}

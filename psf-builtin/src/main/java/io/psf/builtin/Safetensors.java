package io.psf.builtin;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.interchange.ArrayInfo;
import io.psf.builtin.interchange.SafetensorsFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Exports tensors to a safetensors file, and imports them, for other tools. The file is this worker's. A tensor is an
 * array of float32 with its name and the shape [rows, width], or [rows] if its width is 1. A growing table is two arrays: {@code NAME.keys}, int64
 * [n], and {@code NAME.values}, float32 [n, width].
 *
 * <pre>{@code
 * Safetensors.save(worker, Path.of("model.safetensors"), weights, embedding);
 * Safetensors.load(worker, Path.of("bert.safetensors"), Map.of("embeddings.word.weight", embedding));
 * }</pre>
 *
 * <p>Only values are copied: an import leaves the optimizers' state as it is. Rows are copied in pieces of at most 1 MiB
 * or one row, each in a call of its own. If the file must contain one state of the model, no worker may push meanwhile.
 */
public final class Safetensors {
    private Safetensors() {}

    /**
     * Writes a file, or replaces it when everything is written. If rows of a growing table are removed meanwhile, a key
     * may occur twice.
     *
     * @param tensors the tensors; none for all that the servers hold
     * @throws io.psf.api.PsException with {@code STORAGE} if the file cannot be written; with {@code BAD_REQUEST} if two
     *     arrays would have one name
     */
    public static void save(TensorCaller worker, Path file, TensorId... tensors) {
        SafetensorsFile.save(worker, file, infos(worker, tensors));
    }

    /**
     * Sets tensors to the arrays of their names, as {@link #load(TensorCaller, Path, Map)}.
     *
     * @param tensors the tensors, which are initialized; none for all that the servers hold
     */
    public static void load(TensorCaller worker, Path file, TensorId... tensors) {
        Map<String, TensorInfo> arrays = new LinkedHashMap<>();
        infos(worker, tensors).forEach(each -> arrays.put(each.id().name(), each));
        SafetensorsFile.load(worker, file, arrays);
    }

    /**
     * Sets tensors to arrays of a file. An array of F16, BF16 or F64 is converted to float32. An array may have more
     * dimensions than its tensor: the first one is the number of rows, the product of the others is the width. Rows of a
     * growing table whose keys are not in the file stay. Names, types and shapes are checked before any tensor changes.
     * Caches of rows that exist already do not see the new values; make them after the import.
     *
     * @param arrays the name in the file of each tensor, which is initialized; of a growing table without {@code .keys}
     *     and {@code .values}
     * @throws io.psf.api.PsException with {@code STORAGE} if the file cannot be read or is damaged; with {@code
     *     BAD_REQUEST} if an array is missing, or has another shape or type; with {@code RESOURCE_EXHAUSTED} if a growing
     *     table has no memory for the rows
     */
    public static void load(TensorCaller worker, Path file, Map<String, TensorId> arrays) {
        Map<String, TensorInfo> infos = new LinkedHashMap<>();
        arrays.forEach((name, tensor) -> infos.put(name, worker.layout(tensor).info()));
        SafetensorsFile.load(worker, file, infos);
    }

    /**
     * Returns the arrays of a file, in the order of their bytes.
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

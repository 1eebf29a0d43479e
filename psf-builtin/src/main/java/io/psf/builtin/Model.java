package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.internal.checkpoint.ModelReader;
import io.psf.builtin.internal.checkpoint.TensorReader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A saved step of a model, read without a cluster, in any JVM that sees the directory of the checkpoints.
 *
 * <pre>{@code
 * Model model = Model.open(Path.of("/mnt/checkpoints"), "ctr");
 * Optional<float[]> row = model.row(TensorId.of("users"), 42);
 * model.rows(TensorId.of("users"), (key, values) -> index.add(key, values.clone()));
 * }</pre>
 *
 * <p>The place is the directory that the servers have as {@code PSF_CHECKPOINTS}. A tensor that {@link Tensors#save}
 * has saved is the model {@code <name>/<tensor>.tensor}, as {@link #list} shows it.
 *
 * <p>{@code open} verifies the manifest and the indexes, and compares the lengths of the files. A method that reads
 * rows or keys first verifies the images that it needs, each once: their checksums and their parts, as a load does. So
 * the first read of a row reads the whole image. A damaged file fails with {@code STORAGE}, before any of its rows is
 * given. If a running job deletes the step meanwhile, reads fail with {@code STORAGE}, too.
 *
 * <p>Memory: two buffers of 256 KB for each image of a slice, and one row. For a growing table 14 bytes for each key of
 * its increments; and for each key of the slices in which keys are looked up. No file stays open between two calls. No
 * file is written or locked. Thread-safe.
 */
public final class Model {
    private final ModelReader reader;
    private final Instant saved;

    private Model(ModelReader reader, Instant saved) {
        this.reader = reader;
        this.saved = saved;
    }

    /**
     * A step in a directory, as {@link #list} returns it.
     *
     * @param model the model's name
     * @param step the number of the step
     * @param saved when it was complete, by the clock of the file system; of a step that is not, when its folder last
     *     changed
     * @param bytes the bytes of its files; increments share files with other steps. 0 if it is not complete
     * @param tensors the number of tensors; 0 if it is not complete
     * @param state whether it can be opened
     * @param reason why it cannot be opened, naming the file; empty if it is complete
     */
    public record Step(String model, long step, Instant saved, long bytes, int tensors, State state, String reason) {}

    /** Whether a step can be opened. */
    public enum State {
        /** All files are there and have their lengths. */
        COMPLETE,
        /** The save has not written the manifest: it is under way, or has failed. */
        UNFINISHED,
        /** A file is missing or damaged. */
        DAMAGED
    }

    /**
     * A tensor of a step.
     *
     * @param info name, rows and width; a checkpoint has float32
     * @param optimizer the optimizer's name; empty if any may go on from an imported tensor
     * @param declaration the declaration of the tensor with initializer and optimizer, on one line
     * @param slots the optimizer's state and the slots of functions: the floats in a row of each, by its name
     * @param bytes the bytes of its images
     */
    public record Tensor(
            TensorInfo info, String optimizer, String declaration, Map<String, Integer> slots, long bytes) {
        public Tensor {
            slots = Map.copyOf(slots);
        }
    }

    /** Receives rows. */
    @FunctionalInterface
    public interface Rows {
        /**
         * Receives a row.
         *
         * @param values [width] float32; overwritten by the next row
         */
        void row(long key, float[] values);
    }

    /**
     * Opens the newest complete step of a model.
     *
     * @param place the directory of the checkpoints
     * @throws PsException with {@code STORAGE} if there is none, or the directory cannot be read; with {@code
     *     BAD_REQUEST} if the name is invalid
     */
    public static Model open(Path place, String name) {
        return open(new FolderStore(place), name);
    }

    /** As {@link #open(Path, String)}, of any place: {@link io.psf.api.spi.CheckpointStores#open}. */
    public static Model open(CheckpointStore place, String name) {
        return of(place, name, ModelReader.open(place, name));
    }

    /**
     * Opens a step of a model.
     *
     * @throws PsException with {@code STORAGE} if the step is missing, unfinished or damaged; with {@code BAD_REQUEST}
     *     if the name is invalid
     */
    public static Model open(Path place, String name, long step) {
        return open(new FolderStore(place), name, step);
    }

    /** As {@link #open(Path, String, long)}, of any place. */
    public static Model open(CheckpointStore place, String name, long step) {
        return of(place, name, ModelReader.open(place, name, step));
    }

    private static Model of(CheckpointStore place, String name, ModelReader reader) {
        return new Model(
                reader, ModelReader.saved(place, name, reader.manifest().step()));
    }

    /**
     * Lists the steps of all models in a directory: by model, the newest step first. Reads no images.
     *
     * @throws PsException with {@code STORAGE} if the directory cannot be read
     */
    public static List<Step> list(Path place) {
        return list(new FolderStore(place));
    }

    /** As {@link #list(Path)}, of any place. */
    public static List<Step> list(CheckpointStore place) {
        List<Step> all = new ArrayList<>();
        for (String model : ModelReader.models(place)) {
            for (long step : ModelReader.steps(place, model)) {
                all.add(step(place, model, step));
            }
        }
        return all;
    }

    private static Step step(CheckpointStore place, String model, long step) {
        Instant saved = ModelReader.saved(place, model, step);
        try {
            ModelReader reader = ModelReader.open(place, model, step);
            return new Step(model, step, saved, reader.bytes(), reader.tensors().size(), State.COMPLETE, "");
        } catch (PsException e) {
            State state = ModelReader.isFinished(place, model, step) ? State.DAMAGED : State.UNFINISHED;
            return new Step(model, step, saved, 0, 0, state, e.detail());
        }
    }

    /** Returns step, tensors and the workers' records. */
    public ModelCheckpoint checkpoint() {
        return ModelCheckpoint.of(reader.manifest());
    }

    /** Returns the number of the step. */
    public long step() {
        return reader.manifest().step();
    }

    /** Returns when the step was complete, by the clock of the file system. */
    public Instant saved() {
        return saved;
    }

    /** Returns the bytes of the files; increments share files with other steps. */
    public long bytes() {
        return reader.bytes();
    }

    /** Returns the tensors, in the order in which they were saved. Reads the headers of all images. */
    public List<Tensor> tensors() {
        return reader.tensors().stream().map(Model::tensor).toList();
    }

    /**
     * Returns a tensor.
     *
     * @throws PsException with {@code BAD_REQUEST} if the step does not have it
     */
    public Tensor tensor(TensorId tensor) {
        return tensor(reader.tensor(tensor));
    }

    private static Tensor tensor(TensorReader tensor) {
        ImageHeader header = tensor.header();
        return new Tensor(tensor.info(), header.optimizer(), header.declaration(), tensor.slots(), tensor.bytes());
    }

    /** Returns the number of rows; of a growing table the rows that were saved. */
    public long count(TensorId tensor) {
        return reader.tensor(tensor).rows();
    }

    /**
     * Reads the values of a row.
     *
     * @return [width] float32, the caller's own; empty if a growing table has no row of that key
     * @throws PsException with {@code BAD_REQUEST} if the step does not have the tensor, or the key is none of its keys
     */
    public Optional<float[]> row(TensorId tensor, long key) {
        return one(tensor, null, key);
    }

    /**
     * Reads a slot of a row, as {@link #row(TensorId, long)}.
     *
     * @param slot one of {@link Tensor#slots}
     * @return [width of the slot] float32; zeros if the row was not stepped before the slot was there
     */
    public Optional<float[]> row(TensorId tensor, String slot, long key) {
        return one(tensor, slot, key);
    }

    private Optional<float[]> one(TensorId tensor, @Nullable String slot, long key) {
        float[][] found = {null};
        reader.tensor(tensor).each(slot, new long[] {key}, (at, values) -> found[0] = values.clone());
        return Optional.ofNullable(found[0]);
    }

    /**
     * Reads the values of all rows: in the order of the keys, or of a growing table in the order of {@link #keys}.
     *
     * @throws PsException with {@code BAD_REQUEST} if the step does not have the tensor
     */
    public void rows(TensorId tensor, Rows rows) {
        reader.tensor(tensor).each(null, rows::row);
    }

    /**
     * Reads a slot of all rows, as {@link #rows(TensorId, Rows)}.
     *
     * @param slot one of {@link Tensor#slots}
     */
    public void rows(TensorId tensor, String slot, Rows rows) {
        reader.tensor(tensor).each(slot, rows::row);
    }

    /** Receives values and slots of rows. */
    @FunctionalInterface
    public interface Columns {
        /**
         * Receives a row.
         *
         * @param columns [1 + slots][width] float32: the values, then the slots; overwritten by the next row
         */
        void row(long key, float[][] columns);
    }

    /**
     * Reads values and slots of all rows, as {@link #rows(TensorId, Rows)}. Each column has two buffers of 256 KB.
     *
     * @param slots some of {@link Tensor#slots}
     */
    public void rows(TensorId tensor, List<String> slots, Columns rows) {
        List<@Nullable String> columns = new ArrayList<>();
        columns.add(null);
        columns.addAll(slots);
        reader.tensor(tensor).each(columns, rows::row);
    }

    /**
     * Reads the values of some rows, in the order given. Faster than {@link #row} for each: the files are opened once.
     *
     * @param keys [n] int64; a key that a growing table has no row of is left out
     * @throws PsException as {@link #row}
     */
    public void rows(TensorId tensor, long[] keys, Rows rows) {
        reader.tensor(tensor).each(null, keys, rows::row);
    }

    /** Reads the keys of a tensor, in an order that is the same each time. */
    public void keys(TensorId tensor, LongConsumer keys) {
        reader.tensor(tensor).keys(keys);
    }

    /**
     * Verifies all images that have not been verified yet: their checksums and their parts.
     *
     * @throws PsException with {@code STORAGE}, naming the file, if one is missing or damaged
     */
    public void verify() {
        reader.tensors().forEach(TensorReader::verify);
    }
}

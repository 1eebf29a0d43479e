package io.psf.builtin;

import io.psf.api.PsException;
import io.psf.api.spi.CheckpointStore;
import io.psf.builtin.image.TensorColumns;
import io.psf.builtin.internal.checkpoint.StepWriter;
import java.io.Closeable;

/**
 * Writes a step of a model without a cluster, from tensors of other programs. A job begins from it by {@link
 * ModelCheckpoints#loadLatest}, and {@link Model} reads it.
 *
 * <pre>{@code
 * try (ModelWriter model = ModelWriter.begin(CheckpointStores.open("/mnt/checkpoints"), "words", 0)) {
 *     model.add(vectors);
 *     model.commit();
 * }
 * }</pre>
 *
 * <p>The columns of a tensor are read one after another, and written to up to 64 files at the same time: that takes 256
 * KB of memory for each, and 8 bytes for each key of a file. Until the writer is closed, the model is locked, as by a
 * job that saves it. Not thread-safe.
 */
public final class ModelWriter implements Closeable {
    private final StepWriter writer;

    private ModelWriter(StepWriter writer) {
        this.writer = writer;
    }

    /**
     * Begins a step.
     *
     * @param place the place that the servers have as {@code PSF_CHECKPOINTS}; a folder is created if there is none
     * @param step at least 0, and above all steps that the model has
     * @throws PsException with {@code BAD_REQUEST} if the name is invalid, or the model has a step that is not below;
     *     with {@code CONFIGURATION} if a job saves the model; with {@code STORAGE} if the place cannot be written
     */
    public static ModelWriter begin(CheckpointStore place, String model, long step) {
        return new ModelWriter(StepWriter.begin(place, model, step));
    }

    /**
     * Writes a tensor.
     *
     * @throws PsException with {@code BAD_REQUEST} if the step has a tensor of that name, or a key occurs twice; with
     *     {@code STORAGE} if a file cannot be written; what the columns throw
     */
    public void add(TensorColumns columns) {
        writer.add(columns);
    }

    /** Completes the step. No tensor is added afterwards. */
    public void commit() {
        writer.commit();
    }

    /** Deletes what was written, unless it was committed. */
    @Override
    public void close() {
        writer.close();
    }
}

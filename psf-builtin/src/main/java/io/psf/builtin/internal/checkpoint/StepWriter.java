package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.CheckpointStore;
import io.psf.builtin.image.TensorColumns;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Writes a step of a model without a cluster. The step is there once {@link #commit} returns. Until then the model is
 * locked, as by a job that saves it. Not thread-safe.
 */
public final class StepWriter implements Closeable {
    private final ModelSteps steps;
    private final long step;
    private final ModelLocks lock = new ModelLocks();
    private final long save = ThreadLocalRandom.current().nextLong();
    private final String prefix;
    private final Set<TensorId> names = new HashSet<>();
    private final List<SavedTensor> tensors = new ArrayList<>();
    private final List<ServerIndex.Slice> slices = new ArrayList<>();
    private final Map<String, Long> lengths = new HashMap<>();
    private boolean isCommitted;

    private StepWriter(ModelSteps steps, long step) {
        this.steps = steps;
        this.step = step;
        this.prefix = CheckpointNames.step(step) + String.format(Locale.ROOT, "/%016x-0", save);
    }

    /**
     * Begins a step.
     *
     * @throws PsException with {@code BAD_REQUEST} if the name is invalid, the step is negative, or the model has a
     *     step that is not below it; with {@code CONFIGURATION} if a job saves the model; with {@code STORAGE} if the
     *     place cannot be written
     */
    public static StepWriter begin(CheckpointStore place, String model, long step) {
        ModelSteps steps = ModelSteps.of(place, model);
        if (step < 0) {
            throw new PsException(PsException.Code.BAD_REQUEST, "step: " + step + " (expected: >= 0)");
        }
        try {
            place.prepare();
        } catch (IOException e) {
            throw Folder.failure("writing " + place, e);
        }
        StepWriter writer = new StepWriter(steps, step);
        writer.lock.take(place, model);
        List<Long> there = steps.folders();
        if (!there.isEmpty() && there.get(0) >= step) {
            writer.lock.close();
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "step of model \"" + model + "\" in " + place + ": " + step + " (expected: above " + there.get(0)
                            + ", the newest that it has)");
        }
        return writer;
    }

    /**
     * Writes a tensor.
     *
     * @throws PsException with {@code BAD_REQUEST} if the step has a tensor of that name, or a key occurs twice; with
     *     {@code STORAGE} if a file cannot be written
     */
    public void add(TensorColumns columns) {
        TensorInfo tensor = columns.info();
        if (!names.add(tensor.id())) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + tensor.id() + "\": twice (expected: names that differ)");
        }
        String files = prefix + "-" + tensors.size();
        try (TensorWriter writer = new TensorWriter(steps.folder(), columns)) {
            for (SavedImage each : writer.write(files, save)) {
                slices.add(new ServerIndex.Slice(tensor, new SavedChain(List.of(each))));
                lengths.put(each.file(), each.bytes());
            }
        } catch (IOException e) {
            throw Folder.failure("writing " + steps.folder().place(files + "-*" + Pack.SUFFIX), e);
        }
        tensors.add(new SavedTensor(tensor.id().name(), tensor.rows(), tensor.width(), save));
    }

    /** Writes the index and the manifest: the step is complete. */
    public void commit() {
        SavedIndex index = new ServerIndex(save, lengths, slices).publish(steps.folder(), prefix);
        steps.look().write(new ModelManifest(step, tensors, List.of(index), List.of()));
        isCommitted = true;
    }

    /** Deletes what was written, unless it was committed, and unlocks the model. */
    @Override
    public void close() {
        try {
            if (!isCommitted) {
                steps.look().discard(step);
            }
        } finally {
            lock.close();
        }
    }
}

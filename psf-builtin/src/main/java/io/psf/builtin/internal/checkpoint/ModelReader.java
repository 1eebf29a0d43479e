package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads a saved step of a model, without a cluster. Thread-safe. */
public final class ModelReader {
    private final ModelImages images;
    private final Map<String, TensorReader> tensors = new LinkedHashMap<>();

    private ModelReader(ModelImages images) {
        this.images = images;
        images.tensors().forEach((name, each) -> tensors.put(name, new TensorReader(images.folder(), each)));
    }

    /**
     * Returns the models in a place: the folders that have folders of steps. Links are not followed.
     *
     * @throws PsException with {@code STORAGE} if the place cannot be read
     */
    public static List<String> models(CheckpointStore place) {
        TreeSet<String> models = new TreeSet<>();
        try {
            addModels(place, "", models);
        } catch (IOException e) {
            throw Folder.failure("reading " + place, e);
        }
        return List.copyOf(models);
    }

    private static void addModels(CheckpointStore place, String folder, Set<String> models) throws IOException {
        for (CheckpointStore.Entry each : place.list(folder)) {
            if (each.isFolder() && CheckpointStores.isPart(each.name())) {
                if (ModelSteps.ofFolder(each.name()).isEmpty()) {
                    addModels(place, folder.isEmpty() ? each.name() : folder + "/" + each.name(), models);
                } else if (!folder.isEmpty()) {
                    models.add(folder);
                }
            }
        }
    }

    /** Returns the steps of a model that have a folder, newest first. */
    public static List<Long> steps(CheckpointStore place, String model) {
        return ModelSteps.of(place, model).folders();
    }

    /** Returns true if the save of a step has written its manifest, damaged or not. */
    public static boolean isFinished(CheckpointStore place, String model, long step) {
        return ModelSteps.of(place, model).isFinished(step);
    }

    /**
     * Opens the newest complete step.
     *
     * @throws PsException with {@code STORAGE} if there is none; the message has the damage of the newest step
     */
    public static ModelReader open(CheckpointStore place, String model) {
        ModelSteps steps = ModelSteps.of(place, model);
        List<String> damages = new ArrayList<>();
        for (long step : steps.folders()) {
            try {
                return open(place, model, step);
            } catch (PsException e) {
                damages.add(e.detail());
            }
        }
        throw new PsException(
                PsException.Code.STORAGE,
                "model \"" + model + "\" in " + place + ": "
                        + (damages.isEmpty() ? "no steps" : "no complete step; " + damages.get(0))
                        + " (expected: a model that has been saved there)");
    }

    /**
     * Opens a step: reads its manifest and its indexes, and compares the lengths of its files.
     *
     * @throws PsException with {@code STORAGE}, naming the file, if the step is missing, unfinished or damaged
     */
    public static ModelReader open(CheckpointStore place, String model, long step) {
        ModelSteps steps = ModelSteps.of(place, model);
        if (!steps.isFinished(step)) {
            boolean isThere = steps.folders().contains(step);
            throw new PsException(
                    PsException.Code.STORAGE,
                    "step " + step + " of model \"" + model + "\" in " + place + ": "
                            + (isThere
                                    ? "unfinished, it has no file " + ModelManifest.NAME
                                    : "none (expected: one of " + steps.folders() + ")"));
        }
        return new ModelReader(steps.read(step));
    }

    /** Returns the manifest. */
    public ModelManifest manifest() {
        return images.manifest();
    }

    /** Returns when a step was complete, or its folder was written to last, by the clock of the file system. */
    public static Instant saved(CheckpointStore place, String model, long step) {
        ModelSteps steps = ModelSteps.of(place, model);
        try {
            for (CheckpointStore.Entry each : steps.folder().store().list(model)) {
                if (each.name().equals(CheckpointNames.step(step))) {
                    long millis = steps.isFinished(step) ? steps.saved(step).millis() : each.millis();
                    return Instant.ofEpochMilli(millis);
                }
            }
            throw new NoSuchFileException(steps.name(step));
        } catch (IOException e) {
            throw Folder.failure("reading " + steps.folder().place(CheckpointNames.step(step)), e);
        }
    }

    /** Returns the bytes of the files, of which other steps may have some, too. */
    public long bytes() {
        return images.lengths().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the tensors, in the order of the manifest. */
    public List<TensorReader> tensors() {
        return List.copyOf(tensors.values());
    }

    /**
     * Returns a tensor.
     *
     * @throws PsException with {@code BAD_REQUEST} if the step does not have it
     */
    public TensorReader tensor(TensorId tensor) {
        TensorReader reader = tensors.get(tensor.name());
        if (reader == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + tensor + "\": not in "
                            + images.folder().store().place(images.folder().model()) + " (expected: one of "
                            + tensors.keySet() + ")");
        }
        return reader;
    }
}

package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.spi.CheckpointStore;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The steps of a model: its folder has a folder for each. A step may consist of files in the folders of earlier ones,
 * too.
 *
 * @param folder the folder of the model
 */
record ModelSteps(Folder folder) {
    private static final Pattern STEP = Pattern.compile("step-([0-9]{12,18})");

    /**
     * Returns the steps of a model.
     *
     * @param store the place of all checkpoints
     * @throws PsException with {@code BAD_REQUEST} if the name is no name of a model
     */
    static ModelSteps of(CheckpointStore store, String model) {
        CheckpointNames.require("checkpoint", model);
        return new ModelSteps(new Folder(store, model));
    }

    String model() {
        return folder.model();
    }

    /** Returns the name of a step's checkpoint. */
    String name(long step) {
        return folder.name(CheckpointNames.step(step));
    }

    static String manifest(long step) {
        return CheckpointNames.step(step) + "/" + ModelManifest.NAME;
    }

    /** Returns the steps that have a manifest, damaged or not, newest first. */
    List<Long> steps() {
        return folders().stream().filter(this::isFinished).toList();
    }

    /** Returns the step of a folder's name; empty if it is of no step. */
    static Optional<Long> ofFolder(String name) {
        Matcher step = STEP.matcher(name);
        return step.matches() ? Optional.of(Long.parseLong(step.group(1))) : Optional.empty();
    }

    /** Looks at the steps once, for work on them that nobody interrupts. */
    SeenSteps look() {
        return new SeenSteps(this);
    }

    /** Returns the steps that have a folder, newest first. */
    List<Long> folders() {
        List<Long> steps = new ArrayList<>();
        try {
            for (CheckpointStore.Entry each : folder.store().list(folder.model())) {
                if (each.isFolder()) {
                    ofFolder(each.name()).ifPresent(steps::add);
                }
            }
        } catch (IOException e) {
            throw Folder.failure("reading " + folder.store().place(folder.model()), e);
        }
        steps.sort(Comparator.reverseOrder());
        return steps;
    }

    /** Returns true if a step has a manifest, damaged or not. */
    boolean isFinished(long step) {
        try {
            var unused = saved(step);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            return true; // there is something, which is no manifest
        }
    }

    /** Returns the manifest's file of a step. */
    CheckpointStore.Entry saved(long step) throws IOException {
        return folder.entry(manifest(step));
    }

    /**
     * Reads the manifest and the indexes of a step, and compares the lengths of the files.
     *
     * @throws PsException with {@code STORAGE}, naming the file, if the checkpoint is unfinished or damaged
     */
    ModelImages read(long step) {
        ModelImages images = images(step);
        images.files().requireThere();
        return images;
    }

    /** Reads the manifest and the indexes of a step. */
    ModelImages images(long step) {
        String file = manifest(step);
        try {
            ModelManifest manifest = ModelManifest.parse(folder.text(file));
            if (manifest.step() != step) {
                throw new IllegalArgumentException("step " + manifest.step());
            }
            return images(manifest);
        } catch (IllegalArgumentException e) {
            throw folder.damaged(file, e);
        } catch (IOException e) {
            throw folder.unreadable(file, e);
        }
    }

    ModelImages images(ModelManifest manifest) {
        return ModelImages.read(folder, manifest);
    }

    /** Returns the files in the folder of a step. */
    List<String> files(long step) throws IOException {
        String name = CheckpointNames.step(step);
        return folder.store().list(folder.name(name)).stream()
                .filter(each -> !each.isFolder())
                .map(each -> name + "/" + each.name())
                .toList();
    }

    /** Returns true if a step has a manifest, listed or not. What is no file is none. */
    boolean hasManifest(long step) throws IOException {
        return isFinished(step)
                && folder.store().list(folder.name(CheckpointNames.step(step))).stream()
                        .noneMatch(each -> each.name().equals(ModelManifest.NAME)
                                && each.bytes() == CheckpointStore.Entry.NO_FILE);
    }

    /** Reads a step if all of its files are there and have their lengths. */
    Optional<ModelImages> readIfComplete(long step) {
        try {
            return Optional.of(read(step));
        } catch (PsException e) {
            return Optional.empty();
        }
    }
}

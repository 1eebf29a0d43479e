package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.spi.CheckpointStore;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a model: its folder has a folder for each. A step may consist of files in the folders of earlier ones,
 * too; a file is deleted when no step consists of it.
 *
 * @param folder the folder of the model
 */
record ModelSteps(Folder folder) {
    private static final Logger LOG = LoggerFactory.getLogger(ModelSteps.class);

    /** The number of attempts to delete a step while files are still written there. */
    private static final int MOST_ATTEMPTS = 100;

    private static final Pattern STEP = Pattern.compile("step-([0-9]{12,18})");

    /** The files with images, and their indexes; those that have the suffix of unfinished ones, too. */
    private static final Pattern OURS = Pattern.compile(".*(\\.pack|\\.index|\\.part)");

    /**
     * Returns the steps of a model.
     *
     * @param store the place of all checkpoints
     * @throws PsException with {@code BAD_REQUEST} if the name is no name of a model
     */
    static ModelSteps of(CheckpointStore store, String model) {
        CheckpointPath.require("checkpoint", model);
        return new ModelSteps(new Folder(store, model));
    }

    String model() {
        return folder.model();
    }

    /** Returns the name of a step's checkpoint. */
    String name(long step) {
        return folder.name(CheckpointPath.step(step));
    }

    private static String manifest(long step) {
        return CheckpointPath.step(step) + "/" + ModelManifest.NAME;
    }

    /** Returns the steps that have a manifest, damaged or not, newest first. */
    List<Long> steps() {
        return folders().stream().filter(this::isFinished).toList();
    }

    /** Returns true if a folder has the name of a step's folder. */
    static boolean isStep(String folder) {
        return STEP.matcher(folder).matches();
    }

    /** Returns the steps that have a folder, newest first. */
    List<Long> folders() {
        List<Long> steps = new ArrayList<>();
        try {
            for (CheckpointStore.Entry each : folder.store().list(folder.model())) {
                var name = STEP.matcher(each.name());
                if (each.isFolder() && name.matches()) {
                    steps.add(Long.parseLong(name.group(1)));
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
        images.requireFiles();
        return images;
    }

    private ModelImages images(long step) {
        String file = folder.place(manifest(step));
        try {
            ModelManifest manifest = ModelManifest.parse(folder.text(manifest(step)));
            if (manifest.step() != step) {
                throw new IllegalArgumentException("step " + manifest.step());
            }
            return images(manifest);
        } catch (IllegalArgumentException e) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    file + ": damaged, " + e.getMessage() + " (expected: as it was saved)",
                    e);
        } catch (IOException e) {
            throw Folder.failure("reading " + file, e);
        }
    }

    /** Returns the manifest of the newest complete step before a step. */
    Optional<ModelManifest> before(long step) {
        return steps().stream()
                .filter(each -> each < step)
                .map(this::readIfComplete)
                .flatMap(Optional::stream)
                .map(ModelImages::manifest)
                .findFirst();
    }

    ModelImages images(ModelManifest manifest) {
        return ModelImages.read(folder, manifest);
    }

    /**
     * Writes the manifest of a step, then deletes the files in its folder that no step needs, as far as that is
     * possible.
     *
     * @throws PsException with {@code STORAGE} if a file of the step is missing
     */
    void write(ModelManifest manifest) {
        long step = manifest.step();
        for (SavedIndex index : manifest.indexes()) {
            requireSeen(index.file());
        }
        ModelImages images = images(manifest);
        images.requireFiles();
        folder.publish(manifest(step), manifest.text());
        try {
            Set<String> needed = needed(step, List.of());
            needed.addAll(images.lengths().keySet());
            for (String each : files(step)) {
                if (!needed.contains(each) && OURS.matcher(each).matches()) {
                    folder.store().delete(folder.name(each));
                }
            }
        } catch (IOException | PsException e) { // the step is complete
            LOG.warn("deleting what checkpoint \"{}\" does not need: {}", name(step), e.toString());
        }
    }

    private void requireSeen(String file) {
        try {
            var unused = folder.entry(file);
        } catch (NoSuchFileException e) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    folder.place(file) + ": not seen by the server that writes the manifest (expected: one directory"
                            + " for checkpoints that all servers share)");
        } catch (IOException e) {
            throw Folder.failure("reading " + folder.place(file), e);
        }
    }

    /** Returns the files in the folder of a step. */
    private List<String> files(long step) throws IOException {
        String name = CheckpointPath.step(step);
        return folder.store().list(folder.name(name)).stream()
                .filter(each -> !each.isFolder())
                .map(each -> name + "/" + each.name())
                .toList();
    }

    /** Returns true if a step has a manifest, listed or not. What is no file is none. */
    private boolean hasManifest(long step) throws IOException {
        return isFinished(step)
                && folder.store().list(folder.name(CheckpointPath.step(step))).stream()
                        .noneMatch(each -> each.name().equals(ModelManifest.NAME)
                                && each.bytes() == CheckpointStore.Entry.NO_FILE);
    }

    /**
     * Returns the files that the other steps consist of. A damaged manifest names none, and neither does what is no
     * file.
     *
     * @param files the files to delete. Steps that have them in their folders count even if they are not listed yet
     * @throws PsException with {@code STORAGE} if a manifest or index cannot be read, and may name any file
     */
    private Set<String> needed(long except, Collection<String> files) throws IOException {
        Set<String> needed = new HashSet<>();
        Set<Long> others = new TreeSet<>(folders());
        for (String each : files) {
            Matcher name = STEP.matcher(each.split("/", 2)[0]);
            if (name.matches()) {
                others.add(Long.parseLong(name.group(1)));
            }
        }
        for (long each : others) {
            if (each == except || !hasManifest(each)) {
                continue;
            }
            try {
                needed.addAll(images(each).lengths().keySet());
            } catch (PsException e) {
                if (e.getCause() instanceof IOException && !(e.getCause() instanceof NoSuchFileException)) {
                    throw e;
                }
            }
        }
        return needed;
    }

    /**
     * Deletes a step, the manifest first, with the files of earlier steps that no other step needs. Shards may still be
     * writing files of a save whose worker was lost: the folder is looked at again until it has no more.
     */
    void discard(long step) {
        try {
            List<String> left = files(step);
            Set<String> own =
                    readIfComplete(step).map(each -> each.lengths().keySet()).orElse(Set.of());
            Set<String> needed = left.isEmpty() && own.isEmpty() ? Set.of() : needed(step, own);
            folder.store().delete(folder.name(manifest(step)));
            var unused = delete(own, needed);
            for (int attempt = 1; attempt <= MOST_ATTEMPTS && delete(left, needed); attempt++) {
                left = files(step);
            }
            folder.store().delete(folder.name(CheckpointPath.step(step)));
        } catch (IOException e) {
            throw Folder.failure("deleting " + folder.place(CheckpointPath.step(step)), e);
        }
    }

    /** Deletes files and the folders that become empty. Returns true if there was one that is not needed. */
    private boolean delete(Collection<String> files, Set<String> needed) throws IOException {
        Set<String> folders = new HashSet<>();
        for (String each : files) {
            if (!needed.contains(each)) {
                folder.store().delete(folder.name(each));
                folders.add(each.substring(0, each.lastIndexOf('/')));
            }
        }
        for (String each : folders) {
            folder.store().delete(folder.name(each));
        }
        return !folders.isEmpty();
    }

    /**
     * Deletes unfinished saves, and the steps beyond the newest complete ones. A damaged checkpoint is kept as long as
     * an older one is.
     *
     * @param keep the number of complete steps to keep
     * @param saved the step that was saved last, which is kept in any case
     * @param spare true if the newest complete step that shares no file with {@code saved} is kept in any case
     * @param skipped the steps that are damaged, although their files have the right lengths: none of the steps to keep
     * @return the reason for each step that could not be deleted; the next save tries again
     */
    List<String> prune(int keep, long saved, boolean spare, SkippedSteps skipped) {
        List<String> failures = new ArrayList<>();
        try {
            prune(keep, saved, spare, skipped, failures);
        } catch (PsException e) { // the step that was saved is complete
            failures.add(e.detail());
        }
        return failures;
    }

    private void prune(int keep, long saved, boolean spare, SkippedSteps skipped, List<String> failures) {
        Set<String> files = spare ? files(read(saved)) : Set.of();
        boolean needsSpare = spare;
        int complete = 0;
        for (long step : folders()) {
            boolean isGood = !skipped.has(step) && readIfComplete(step).isPresent();
            boolean isSpare = needsSpare && isGood && Collections.disjoint(files, files(read(step)));
            needsSpare &= !isSpare;
            if (step != saved && !isSpare && (complete >= keep || !isFinished(step))) {
                try {
                    discard(step);
                } catch (PsException e) {
                    failures.add(e.detail());
                }
            } else if (isGood) {
                complete++;
            }
        }
    }

    /** Returns the names of the files that a complete step consists of. */
    private static Set<String> files(ModelImages step) {
        return step.lengths().keySet();
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

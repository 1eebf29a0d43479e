package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.spi.OwnerFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a model: {@code <server's directory>/<model>} has a folder for each.
 *
 * @param root the server's checkpoint directory
 * @param model the model's name, a path below that directory
 */
record ModelSteps(Path root, String model) {
    private static final Logger LOG = LoggerFactory.getLogger(ModelSteps.class);

    /** The number of attempts to delete a step while files are still written there. */
    private static final int MOST_ATTEMPTS = 100;

    private static final Pattern STEP = Pattern.compile("step-([0-9]{12,18})");

    /** Returns the name of a step's checkpoint. */
    String name(long step) {
        return model + "/" + CheckpointPath.step(step);
    }

    Folder of(long step) {
        return new Folder(CheckpointPath.of(root, model, step));
    }

    /** Returns the steps that have a folder, newest first. */
    List<Long> steps() {
        Path folder = CheckpointPath.of(root, model);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        List<Long> steps = new ArrayList<>();
        try (DirectoryStream<Path> there = Files.newDirectoryStream(folder)) {
            for (Path each : there) {
                var name = STEP.matcher(each.getFileName().toString());
                if (name.matches()) {
                    steps.add(Long.parseLong(name.group(1)));
                }
            }
        } catch (IOException e) {
            throw Folder.failure("reading " + folder, e);
        }
        steps.sort(Comparator.reverseOrder());
        return steps;
    }

    /** Returns true if the save of a step has written its manifest, damaged or not. */
    boolean isFinished(long step) {
        return Files.exists(of(step).path().resolve(ModelManifest.NAME), LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Reads the manifest and the indexes of a step, and compares the lengths of the files.
     *
     * @throws PsException with {@code STORAGE}, naming the file, if the checkpoint is unfinished or damaged
     */
    ModelImages read(long step) {
        Path file = of(step).path().resolve(ModelManifest.NAME);
        try {
            ModelManifest manifest = ModelManifest.parse(Folder.text(file));
            if (manifest.step() != step) {
                throw new IllegalArgumentException("step " + manifest.step());
            }
            ModelImages images = images(manifest);
            images.requireFiles();
            return images;
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
        return ModelImages.read(of(manifest.step()), manifest);
    }

    /**
     * Writes the manifest of a step, then deletes the files that it does not name, as far as that is possible.
     *
     * @throws PsException with {@code STORAGE} if a file of the step is missing
     */
    void write(ModelManifest manifest) {
        Folder folder = of(manifest.step());
        for (SavedIndex index : manifest.indexes()) {
            requireSeen(folder.file(index.file()));
        }
        ModelImages images = images(manifest);
        images.requireFiles();
        folder.replace(folder.path().resolve(ModelManifest.NAME), manifest.text());
        OwnerFiles.forceNamesIn(Objects.requireNonNull(folder.path().getParent())); // the step's own name is new
        Set<Path> named = new HashSet<>();
        images.lengths().keySet().forEach(file -> named.add(folder.file(file)));
        clean(folder, named);
    }

    /** Deletes the images that a step does not need. A failure is logged: the step is complete. */
    private static void clean(Folder folder, Set<Path> named) {
        List<Path> all = new ArrayList<>(List.of(folder.path()));
        try (DirectoryStream<Path> tensors = Files.newDirectoryStream(folder.path(), "*" + CheckpointPath.TENSOR)) {
            tensors.forEach(all::add);
        } catch (IOException | DirectoryIteratorException e) {
            LOG.warn("reading {}, to delete what the step does not need: {}", folder.path(), e.toString());
        }
        for (Path each : all) {
            try {
                new Folder(each).deleteAllBut(named);
            } catch (IOException | DirectoryIteratorException e) {
                LOG.warn("deleting what {} does not need: {}", each, e.toString());
            }
        }
    }

    private static void requireSeen(Path file) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    file + ": not seen by the server that writes the manifest (expected: one directory for checkpoints"
                            + " that all servers share)");
        }
    }

    /**
     * Deletes a step, the manifest first. Shards may still be writing files of a save whose worker was lost: such a
     * file gets its name once, so the next attempt to delete the folder finds it.
     */
    void discard(long step) {
        Path folder = of(step).path();
        for (int attempt = 1; ; attempt++) {
            try {
                Files.deleteIfExists(folder.resolve(ModelManifest.NAME));
                deleteAll(folder);
                return;
            } catch (DirectoryNotEmptyException | NoSuchFileException | UncheckedIOException e) {
                if (attempt == MOST_ATTEMPTS) {
                    throw Folder.failure("deleting " + folder, e instanceof IOException io ? io : new IOException(e));
                }
            } catch (IOException e) {
                throw Folder.failure("deleting " + folder, e);
            }
        }
    }

    private static void deleteAll(Path folder) throws IOException {
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(each);
                }
            }
        }
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
        Set<String> files = spare ? files(saved) : Set.of();
        boolean needsSpare = spare;
        int complete = 0;
        for (long step : steps()) {
            boolean isSpare = needsSpare && isGood(step, skipped) && Collections.disjoint(files, files(step));
            needsSpare &= !isSpare;
            if (step != saved && !isSpare && (complete >= keep || !isFinished(step))) {
                try {
                    discard(step);
                } catch (PsException e) {
                    failures.add(e.detail());
                }
            } else if (isGood(step, skipped)) {
                complete++;
            }
        }
        return failures;
    }

    /** Returns the names of the files that a complete step consists of. */
    private Set<String> files(long step) {
        return read(step).lengths().keySet();
    }

    private boolean isGood(long step, SkippedSteps skipped) {
        return !skipped.has(step) && isComplete(step);
    }

    /** Returns true if all files of a step are there and have their lengths. */
    private boolean isComplete(long step) {
        return readIfComplete(step).isPresent();
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

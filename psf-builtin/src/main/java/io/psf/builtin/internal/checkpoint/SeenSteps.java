package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a model during a part of one work on it, such as a commit, in which nobody else changes them: each is
 * read once. A file is deleted when no step consists of it.
 */
final class SeenSteps {
    private static final Logger LOG = LoggerFactory.getLogger(SeenSteps.class);

    /** The number of attempts to delete a step while files are still written there. */
    private static final int MOST_ATTEMPTS = 100;

    /** The files with images, and their indexes; those that have the suffix of unfinished ones, too. */
    private static final Pattern OURS = Pattern.compile(".*(\\.pack|\\.index|\\.part)");

    private final ModelSteps steps;
    private final Folder folder;
    private final Map<Long, Seen> seen = new HashMap<>();
    private final Map<Long, Optional<StepFiles>> complete = new HashMap<>();

    SeenSteps(ModelSteps steps) {
        this.steps = steps;
        this.folder = steps.folder();
    }

    /** The files of a step, or why its manifest or an index cannot be read. */
    private record Seen(@Nullable StepFiles files, @Nullable PsException failure) {}

    private StepFiles files(long step) {
        Seen known = seen.computeIfAbsent(step, each -> {
            try {
                return new Seen(steps.images(each).files(), null);
            } catch (PsException e) {
                return new Seen(null, e);
            }
        });
        if (known.files() == null) {
            throw known.failure();
        }
        return known.files();
    }

    /** Returns the files of a step if all of them are there and have their lengths. */
    private Optional<StepFiles> complete(long step) {
        return complete.computeIfAbsent(step, each -> {
            try {
                StepFiles files = files(each);
                files.requireThere();
                return Optional.of(files);
            } catch (PsException e) {
                return Optional.empty();
            }
        });
    }

    private void forget(long step) {
        seen.remove(step);
        complete.remove(step);
    }

    /** Returns the manifest of the newest complete step of some. */
    Optional<ModelManifest> newest(LongPredicate some) {
        return steps.steps().stream()
                .filter(some::test)
                .flatMap(step -> complete(step).stream())
                .map(StepFiles::manifest)
                .findFirst();
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
        StepFiles files = steps.images(manifest).files();
        files.requireThere();
        folder.publish(ModelSteps.manifest(step), manifest.text());
        seen.put(step, new Seen(files, null));
        complete.put(step, Optional.of(files));
        try {
            List<String> others = steps.files(step).stream()
                    .filter(each -> OURS.matcher(each).matches())
                    .filter(each -> !files.names().contains(each))
                    .toList();
            var unused = delete(others, others.isEmpty() ? Set.of() : needed(step, List.of()));
        } catch (IOException | PsException e) { // the step is complete
            LOG.warn("deleting what checkpoint \"{}\" does not need: {}", steps.name(step), e.toString());
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
            throw folder.unreadable(file, e);
        }
    }

    /**
     * Returns the files that the other steps consist of. A damaged manifest names none, and neither does what is no
     * file.
     *
     * @param files the files to delete. Steps that have them in their folders count even if they are not listed yet
     * @throws PsException with {@code STORAGE} if a manifest or index cannot be read, and may name any file
     */
    private Set<String> needed(long except, Collection<String> files) throws IOException {
        Set<Long> others = new TreeSet<>(steps.folders());
        files.forEach(each -> ModelSteps.ofFolder(each.split("/", 2)[0]).ifPresent(others::add));
        others.remove(except);
        Set<String> needed = new HashSet<>();
        for (long each : others) {
            try {
                needed.addAll(files(each).names());
            } catch (PsException e) {
                if (e.getCause() instanceof IOException
                        && !(e.getCause() instanceof NoSuchFileException)
                        && steps.hasManifest(each)) {
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
            List<String> left = steps.files(step);
            Set<String> own = complete(step).map(StepFiles::names).orElse(Set.of());
            Set<String> needed = left.isEmpty() && own.isEmpty() ? Set.of() : needed(step, own);
            folder.store().delete(folder.name(ModelSteps.manifest(step)));
            forget(step);
            var unused = delete(own, needed);
            for (int attempt = 1; attempt <= MOST_ATTEMPTS && delete(left, needed); attempt++) {
                left = steps.files(step);
            }
            folder.store().delete(steps.name(step));
        } catch (IOException e) {
            throw Folder.failure("deleting " + folder.place(CheckpointNames.step(step)), e);
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
        Set<String> files = spare ? files(saved).names() : Set.of();
        boolean needsSpare = spare;
        int kept = 0;
        for (long step : steps.folders()) {
            Optional<StepFiles> good = skipped.has(step) ? Optional.empty() : complete(step);
            boolean isSpare = needsSpare
                    && good.filter(each -> Collections.disjoint(files, each.names()))
                            .isPresent();
            needsSpare &= !isSpare;
            if (step != saved && !isSpare && (kept >= keep || !steps.isFinished(step))) {
                try {
                    discard(step);
                } catch (PsException e) {
                    failures.add(e.detail());
                }
            } else if (good.isPresent()) {
                kept++;
            }
        }
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of a shard whose content this server has verified or written, so that a save does not read them again
 * before it builds on them. A file that has been replaced or written to since is not among them. Attached to the shard,
 * used on its lane.
 */
final class VerifiedFiles {
    private Set<Stamp> known = Set.of();

    /**
     * A file's content, as far as the file system tells without reading it. All links of a file have the same one.
     *
     * @param key the file's number on its file system; null if the system has none
     */
    private record Stamp(String name, @Nullable Object key, long bytes, FileTime modified) {
        static Stamp of(Path file) throws IOException {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return new Stamp(file.getFileName().toString(), now.fileKey(), now.size(), now.lastModifiedTime());
        }
    }

    static VerifiedFiles of(StoredShard shard) {
        return shard.attachment(VerifiedFiles.class, VerifiedFiles::new);
    }

    /** Remembers these files, and no others: only the newest step is built on. */
    void replace(List<Path> files) {
        Set<Stamp> stamps = new HashSet<>();
        try {
            for (Path file : files) {
                stamps.add(Stamp.of(file));
            }
        } catch (IOException e) {
            stamps.clear(); // they are read once more
        }
        known = stamps;
    }

    /** Forgets all files: one of them is damaged. */
    void clear() {
        known = Set.of();
    }

    /** Returns true if all files are as they were when they were verified or written. */
    boolean hasAll(List<Path> files) throws IOException {
        List<Stamp> stamps = new ArrayList<>();
        for (Path file : files) {
            stamps.add(Stamp.of(file));
        }
        return known.containsAll(stamps);
    }
}

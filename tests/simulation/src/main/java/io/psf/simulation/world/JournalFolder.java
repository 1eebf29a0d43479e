package io.psf.simulation.world;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder of the scheduler's journal. The next scheduler gets a copy of what a killed one has written, since the lock of the
 * killed one stays in this process.
 */
final class JournalFolder {
    private final Path parent;
    private int number;

    JournalFolder(Path parent) {
        this.parent = parent;
    }

    Path folder() {
        return parent.resolve("journal-" + number);
    }

    void leave() {
        Path from = folder();
        number++;
        try (Stream<Path> files = Files.exists(from) ? Files.list(from) : Stream.<Path>of()) {
            List<Path> all = files.toList();
            Files.createDirectories(folder());
            for (Path each : all) {
                Files.copy(each, folder().resolve(each.getFileName()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

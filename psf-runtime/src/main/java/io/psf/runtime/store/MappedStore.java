package io.psf.runtime.store;

import io.psf.api.PsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory that is mapped to files, for tables larger than the machine's memory. The files are scratch: made anew, and
 * deleted at once where the system lets them be used then, else when the store is closed.
 */
public final class MappedStore implements Store {
    private final Path directory;
    private final AtomicLong made = new AtomicLong();
    /** Those that could not be deleted yet. */
    private final Queue<Path> files = new ConcurrentLinkedQueue<>();

    /** A store of files in a new directory of its own below the one given. */
    public MappedStore(Path below) {
        try {
            Files.createDirectories(below);
            this.directory = Files.createTempDirectory(below, "psf-");
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, "directory for mapped shards: " + below + ": " + e, e);
        }
    }

    @Override
    public ByteBuffer allocate(String name, int bytes) {
        Path file =
                directory.resolve(name.replaceAll("[^A-Za-z0-9_.-]", "_") + "-" + made.incrementAndGet() + ".floats");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes).order(ByteOrder.LITTLE_ENDIAN);
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED, bytes + " bytes of " + file + " for " + name + ": " + e, e);
        } finally {
            deleteNowOrLater(file);
        }
    }

    /** A file that can be deleted while it is in use lives as long as its memory, and no longer than this process. */
    private void deleteNowOrLater(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            files.add(file);
        }
    }

    /** A file that has no blocks where nothing has been written. */
    @Override
    public ByteBuffer reserve(String name, int bytes) {
        return allocate(name, bytes);
    }

    @Override
    public void close() {
        try {
            for (Path file = files.poll(); file != null; file = files.poll()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

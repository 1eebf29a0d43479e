package io.psf.runtime.internal.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A new file of this user, which exists until it is closed. A lock on it shows that its process is alive, also to
 * processes in other containers; the system drops the lock when the process ends in any way.
 */
final class HeldFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeldFile.class);

    /** The age below which a file without a lock may still get one. */
    private static final Duration YOUNG = Duration.ofSeconds(10);

    /**
     * The files that this process holds. This process must not open such a file to try its lock: the locks of POSIX
     * belong to a process, and end when it closes any channel of the file.
     */
    private static final Set<Path> HERE = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel channel;

    private HeldFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Creates a file that only this user can access, with that many zeros.
     *
     * @param path does not exist
     * @throws IOException if there is no space for the file, or files have no owners, permissions or locks here
     */
    static HeldFile create(Path path, int size) throws IOException {
        HERE.add(path);
        try {
            return held(path, size);
        } catch (IOException | RuntimeException | Error e) {
            HERE.remove(path);
            throw e;
        }
    }

    private static HeldFile held(Path path, int size) throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(
                    path,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    SegmentFiles.AS_OWNER_ONLY);
        } catch (UnsupportedOperationException e) {
            throw new IOException("permissions of files in " + path.getParent() + ": none (expected: POSIX)", e);
        }
        try {
            FileLock lock = channel.tryLock();
            if (lock == null || !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileAlreadyExistsException(path + ": taken for abandoned before it was locked");
            }
            fill(channel, size);
            return new HeldFile(path, channel);
        } catch (IOException | RuntimeException | Error e) {
            try (channel) {
                Files.deleteIfExists(path);
            }
            throw e;
        }
    }

    /** Allocates the memory now. Otherwise a full file system would be a fault in the middle of a copy. */
    private static void fill(FileChannel channel, int size) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(size, 64 << 10));
        for (int done = 0; done < size; ) {
            done += channel.write(zeros.clear().limit(Math.min(zeros.capacity(), size - done)), done);
        }
    }

    Path path() {
        return path;
    }

    FileChannel channel() {
        return channel;
    }

    /** Deletes a file of this user, with a name of such files, unless a process holds it or may be about to. */
    static void deleteIfAbandoned(Path file) {
        if (HERE.contains(file) || !isOld(file)) {
            return;
        }
        try (FileChannel channel = SegmentFiles.open(file);
                FileLock lock = channel.tryLock()) {
            if (lock != null) {
                Files.deleteIfExists(file); // with the lock: its maker then finds that it has lost the file
            }
        } catch (IOException | OverlappingFileLockException e) { // of another user, deleted already, or held here
            LOG.debug("file {}: {}", file, e.toString());
        }
    }

    /** True unless the file may just have been created, and its maker has not locked it yet. */
    private static boolean isOld(Path file) {
        try {
            Instant changed =
                    Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
            return changed.isBefore(Instant.now().minus(YOUNG));
        } catch (IOException e) { // deleted meanwhile
            return false;
        }
    }

    /** Deletes the file, unless that was done already. */
    @Override
    public void close() throws IOException {
        try (channel) {
            Files.deleteIfExists(path);
        } finally {
            HERE.remove(path);
        }
    }
}

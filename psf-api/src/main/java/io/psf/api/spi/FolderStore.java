package io.psf.api.spi;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints in a folder, which servers on several machines share. Files belong to their owner alone ({@link
 * OwnerFiles}). A symbolic link below the folder is an error: it may lead to another user's file.
 */
public final class FolderStore implements CheckpointStore {
    private static final String UNFINISHED = ".part";

    /** The most files that stay open until they are forced: over a network, closing a file waits. */
    private static final int MOST_OPEN = 256;

    /**
     * The files that this process has locked. It opens none of them again: locks of POSIX belong to a process, and end
     * when it closes any channel of the file.
     */
    private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

    private final Path root;
    private final AtomicInteger open = new AtomicInteger();

    /** Creates a store in a folder, which {@link #prepare} creates if there is none. */
    public FolderStore(Path root) {
        this.root = root;
    }

    @Override
    public void prepare() throws IOException {
        OwnerFiles.createDirectories(root);
        if (!Files.isWritable(root)) {
            throw new FileSystemException(root.toString(), null, "not writable");
        }
        OwnerFiles.forceNames(root);
    }

    /** Returns the path of a name, whose folders are no symbolic links. */
    private Path path(String name) throws IOException {
        CheckpointStores.requireName(this, name);
        Path path = root;
        for (String part : name.split("/", -1)) {
            if (!path.equals(root)) {
                requireNoLink(path);
            }
            path = path.resolve(part);
        }
        return path;
    }

    private static void requireNoLink(Path folder) throws IOException {
        if (Files.isSymbolicLink(folder)) {
            throw new FileSystemException(folder.toString(), null, "a symbolic link (expected: a directory, or none)");
        }
    }

    @Override
    public List<Entry> list(String folder) throws IOException {
        Path path = root;
        if (!folder.isEmpty()) {
            path = path(folder);
            requireNoLink(path);
        }
        List<Entry> all = new ArrayList<>();
        try (DirectoryStream<Path> there = Files.newDirectoryStream(path)) {
            for (Path each : there) {
                Entry entry = present(each);
                if (entry != null) {
                    all.add(entry);
                }
            }
        } catch (NoSuchFileException e) {
            if (folder.isEmpty()) {
                throw e;
            }
            return all; // no such folder; whatever else fails may hide files
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }

    /** Returns the entry of a path; null if it has been deleted meanwhile. */
    private static @Nullable Entry present(Path path) throws IOException {
        try {
            return entry(path, attributes(path));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static Entry entry(Path path, BasicFileAttributes found) {
        return new Entry(
                path.getFileName().toString(),
                found.isDirectory(),
                found.isRegularFile() ? found.size() : Entry.NO_FILE,
                found.lastModifiedTime().toMillis(),
                List.of(Objects.requireNonNullElse(found.fileKey(), ""), found.lastModifiedTime()));
    }

    @Override
    public Entry file(String name) throws IOException {
        Path path = path(name);
        var unused = OwnerFiles.length(path); // a file, and nothing else
        return entry(path, attributes(path));
    }

    @Override
    public SeekableByteChannel read(String name) throws IOException {
        return OwnerFiles.read(path(name));
    }

    @Override
    public NewFile create(String name) throws IOException {
        Path path = path(name);
        OwnerFiles.createDirectories(parent(path));
        return new Writing(path, OwnerFiles.createNew(path));
    }

    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent());
    }

    @Override
    public void publish(String name, byte[] content) throws IOException {
        Path path = path(name);
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        OwnerFiles.createDirectories(parent(path));
        Path unfinished = path.resolveSibling(path.getFileName() + UNFINISHED);
        boolean finished = false;
        try {
            try (FileChannel channel = OwnerFiles.create(unfinished)) {
                for (ByteBuffer bytes = ByteBuffer.wrap(content); bytes.hasRemaining(); ) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
            finished = true;
        } finally {
            if (!finished) {
                deleteAfterFailure(unfinished);
            }
        }
        for (Path folder = path; !folder.equals(root); ) {
            folder = parent(folder);
            OwnerFiles.forceNamesIn(folder);
        }
    }

    private static void deleteAfterFailure(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            return; // the caller gets the failure of the write instead
        }
    }

    @Override
    public void delete(String name) throws IOException {
        try {
            Files.deleteIfExists(path(name));
        } catch (DirectoryNotEmptyException e) {
            return; // it stays
        }
    }

    @Override
    public @Nullable Closeable lock(String name, byte[] content) throws IOException {
        Path path = path(name);
        Path file = OwnerFiles.createDirectories(parent(path)).toRealPath().resolve(path.getFileName());
        if (!LOCKED.add(file)) {
            return null;
        }
        FileChannel channel = null;
        try {
            channel = locked(file);
            if (channel != null) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(content), 0);
            }
        } finally {
            if (channel == null) {
                LOCKED.remove(file);
            }
        }
        FileChannel lock = channel;
        return lock == null
                ? null
                : () -> {
                    LOCKED.remove(file);
                    lock.close();
                };
    }

    /** Locks a file. Returns null if another process has locked it. */
    private static @Nullable FileChannel locked(Path file) throws IOException {
        FileChannel channel = OwnerFiles.openOrCreate(file);
        boolean taken = false;
        try {
            FileLock lock = channel.tryLock();
            taken = lock != null;
        } catch (IOException e) {
            throw new UnsupportedOperationException(file + ": " + e, e);
        } finally {
            if (!taken) {
                channel.close();
            }
        }
        return taken ? channel : null;
    }

    @Override
    public String place(String name) {
        return root + "/" + name.substring(0, Math.min(name.length(), 1000));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FolderStore that && that.root.equals(root);
    }

    @Override
    public int hashCode() {
        return root.hashCode();
    }

    @Override
    public String toString() {
        return root.toString();
    }

    /** A file that is being written. Used by one thread at a time. */
    private final class Writing implements NewFile {
        private final Path path;
        private final FileChannel channel;
        private boolean finished;

        Writing(Path path, FileChannel channel) {
            this.path = path;
            this.channel = channel;
            open.incrementAndGet();
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            return channel.write(bytes);
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void end() throws IOException {
            if (open.get() > MOST_OPEN) {
                closeChannel();
            }
        }

        private void closeChannel() throws IOException {
            if (channel.isOpen()) {
                open.decrementAndGet();
                channel.close();
            }
        }

        @Override
        public void finish() throws IOException {
            if (channel.isOpen()) {
                channel.force(true);
                closeChannel();
            } else {
                try (FileChannel again = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    again.force(true);
                }
            }
            finished = true;
        }

        @Override
        public void close() throws IOException {
            try {
                closeChannel();
            } finally {
                if (!finished) {
                    deleteAfterFailure(path);
                }
            }
        }
    }
}

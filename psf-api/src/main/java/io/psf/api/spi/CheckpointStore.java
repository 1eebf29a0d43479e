package io.psf.api.spi;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of checkpoints: a folder, or a store of objects. All servers of a cluster have the same one. Thread-safe.
 *
 * <p>A name is a path below the place: parts of {@code A-Z a-z 0-9 % . _ -}, with {@code /} between them. Any other
 * name is refused. The effect of a method is visible to all servers when the method returns, and outlasts the loss of
 * any server. Files are written once and read many times. No file is changed.
 */
public interface CheckpointStore {
    /**
     * A file or a folder. Two entries of a name are equal if the file has not been deleted and written again in between.
     *
     * @param name its name in its folder
     * @param isFolder true of a folder
     * @param bytes the length of the file; {@link Entry#NO_FILE} of what is no file, such as a folder or a link
     * @param millis when it was written, in milliseconds since 1970
     * @param id what else tells a file from another one that takes its place; null if the store has nothing
     */
    record Entry(
            String name,
            boolean isFolder,
            long bytes,
            long millis,
            @Nullable Object id) {
        /** In place of a length. */
        public static final long NO_FILE = -1;
    }

    /** A file that is being written. It may be there in part meanwhile: nothing names it before it is finished. */
    interface NewFile extends WritableByteChannel {
        /** Says that no byte follows. Does not wait until the bytes are stored, and may free what writing takes. */
        void end() throws IOException;

        /** Waits until all bytes are stored. */
        void finish() throws IOException;

        /** Deletes the file unless it is finished. */
        @Override
        void close() throws IOException;
    }

    /**
     * Checks that checkpoints can be written here, and creates the place if there is none.
     *
     * @throws IOException if they cannot
     */
    void prepare() throws IOException;

    /**
     * Returns what a folder has, in any order; nothing if there is no such folder.
     *
     * @param folder the folder; empty for the place itself
     * @throws java.nio.file.NoSuchFileException if there is no such place
     */
    List<Entry> list(String folder) throws IOException;

    /**
     * Returns a file.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     */
    Entry file(String name) throws IOException;

    /**
     * Opens a file to read parts of it.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     */
    SeekableByteChannel read(String name) throws IOException;

    /** Creates a file of a name that no file has. */
    NewFile create(String name) throws IOException;

    /**
     * Writes a small file of a name that no file has: a reader sees no file, or this one, whole. When it returns, the
     * names of all finished files in its folder are stored, too.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one. A store that has {@link #lock locks}, or no
     *     conditional writes, may write both of two files that are published at the same moment, the second in the
     *     place of the first
     */
    void publish(String name, byte[] content) throws IOException;

    /** Deletes a file, or a folder that is empty. Does nothing if there is none, or if the folder is not empty. */
    void delete(String name) throws IOException;

    /**
     * Locks a file until the lock is closed, or this process has ended and the time of {@link #lockOutlives} is over.
     *
     * @param content what the file ends with while it is locked, for others to read
     * @return the lock; null if another process has it, or this one
     * @throws UnsupportedOperationException if the store has no locks
     */
    @Nullable
    Closeable lock(String name, byte[] content) throws IOException;

    /** Returns how long a lock may stay when its process has ended without closing it, for example by a kill. */
    default Duration lockOutlives() {
        return Duration.ZERO;
    }

    /** Returns where a file is, for messages. */
    String place(String name);
}

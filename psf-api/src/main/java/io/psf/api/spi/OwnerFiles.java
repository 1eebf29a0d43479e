package io.psf.api.spi;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Files that their owner alone can read and write, and directories that their owner alone can enter, from their
 * creation on. Where the file system has no POSIX permissions, they are as all others. What exists already keeps its
 * permissions.
 */
public final class OwnerFiles {
    private static final FileAttribute<?>[] NONE = {};
    private static final FileAttribute<?>[] FILE = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
    };
    private static final FileAttribute<?>[] DIRECTORY = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
    };

    private OwnerFiles() {}

    /** Creates a directory and those above it, as far as they do not exist. Returns the directory. */
    public static Path createDirectories(Path directory) throws IOException {
        return Files.createDirectories(directory, isPosix(directory) ? DIRECTORY : NONE);
    }

    /**
     * Forces the names of a directory and of those above it to the disk: they may be new, and a directory whose name is
     * lost is lost with its files. A directory that cannot be opened as a file is passed over, as all are on some
     * systems.
     *
     * @throws IOException if the disk fails
     */
    public static void forceNames(Path directory) throws IOException {
        for (Path at = directory.toAbsolutePath().getParent(); at != null; at = at.getParent()) {
            forceNamesIn(at);
        }
    }

    /**
     * Forces the names in a directory to the disk, if the system can open a directory as a file.
     *
     * @throws IOException if the disk fails
     */
    public static void forceNamesIn(Path directory) throws IOException {
        FileChannel names;
        try {
            names = FileChannel.open(directory, StandardOpenOption.READ);
        } catch (IOException e) {
            return; // this system cannot
        }
        try (names) {
            names.force(true);
        } catch (IOException e) {
            throw (IOException) new FileSystemException(
                            directory.toString(), null, "its names are not forced to the disk, " + e.getMessage())
                    .initCause(e);
        }
    }

    /**
     * Creates a file in the place of one with its name, if there is one. A symbolic link is an error.
     *
     * @param options besides those to create and to write
     */
    public static FileChannel create(Path file, OpenOption... options) throws IOException {
        if (Files.isSymbolicLink(file)) {
            throw new FileSystemException(file.toString(), null, "a symbolic link (expected: a file, or none)");
        }
        Files.deleteIfExists(file);
        return open(file, StandardOpenOption.CREATE_NEW, options);
    }

    /**
     * Creates a file.
     *
     * @param options besides those to create and to write
     * @throws java.nio.file.FileAlreadyExistsException if there is one with its name
     */
    public static FileChannel createNew(Path file, OpenOption... options) throws IOException {
        return open(file, StandardOpenOption.CREATE_NEW, options);
    }

    /**
     * Opens a file to write it, and creates it if there is none. A symbolic link is an error, and so is a FIFO or a
     * device.
     *
     * @param options besides those to create and to write
     */
    public static FileChannel openOrCreate(Path file, OpenOption... options) throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            var unused = length(file);
        }
        return open(file, StandardOpenOption.CREATE, options);
    }

    /** Opens a file to read it. A symbolic link is an error, and so is a FIFO, which would block, or a device. */
    public static FileChannel read(Path file) throws IOException {
        var unused = length(file);
        return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns the length of a file in bytes. A symbolic link is an error, and so is a FIFO or a device. */
    public static long length(Path file) throws IOException {
        BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!found.isRegularFile()) {
            throw new FileSystemException(
                    file.toString(),
                    null,
                    (found.isSymbolicLink()
                                    ? "a symbolic link"
                                    : found.isDirectory() ? "a directory" : "a FIFO or a device")
                            + " (expected: a file)");
        }
        return found.size();
    }

    private static FileChannel open(Path file, OpenOption creation, OpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
        all.addAll(Set.of(creation, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        return FileChannel.open(file, all, isPosix(file) ? FILE : NONE);
    }

    private static boolean isPosix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}

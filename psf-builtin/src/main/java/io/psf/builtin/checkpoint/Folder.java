package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.spi.OwnerFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A folder with files of a checkpoint.
 *
 * @param path the folder's path
 */
record Folder(Path path) {
    static final String SHARD = ".shard";
    static final String UNFINISHED = ".part";
    private static final Pattern PART = Pattern.compile("[A-Za-z0-9%._-]{1,255}");

    /** The files with images, finished or not, and their indexes. */
    private static final String IMAGES =
            "*{" + SHARD + "," + Pack.SUFFIX + "," + ServerIndex.SUFFIX + "," + UNFINISHED + "}";

    /**
     * Returns the path of a file.
     *
     * @param name relative to this folder; it may come from a peer or from a file
     * @throws PsException with {@code STORAGE} if it would lead out of the folder, or is no name that psf gives
     */
    Path file(String name) {
        for (String part : name.split("/", -1)) {
            if (!PART.matcher(part).matches() || part.equals(".") || part.equals("..")) {
                throw new PsException(
                        PsException.Code.STORAGE,
                        "file of a checkpoint: \"" + name.substring(0, Math.min(name.length(), 1000))
                                + "\" (expected: a name below its folder, of A-Z a-z 0-9 % . _ - and /)");
            }
        }
        return path.resolve(name);
    }

    Path file(SavedImage image) {
        return file(image.file());
    }

    /** Returns the file of an image that is to be written, after its folder has been created. */
    Path newFile(String name) {
        Path file = file(name);
        try {
            OwnerFiles.createDirectories(Objects.requireNonNull(file.getParent()));
        } catch (IOException e) {
            throw failure("writing " + file, e);
        }
        return file;
    }

    /**
     * Reads a file of text.
     *
     * @throws IOException if it is no file, as a link or a FIFO, or takes more than an eighth of the heap
     */
    static String text(Path file) throws IOException {
        try (FileChannel channel = OwnerFiles.read(file)) {
            long most = Math.min(Runtime.getRuntime().maxMemory() / 8, Integer.MAX_VALUE / 2);
            if (channel.size() > most) {
                throw new FileSystemException(
                        file.toString(),
                        null,
                        channel.size() + " bytes (expected: at most " + most + ", an eighth of the heap)");
            }
            byte[] bytes = Channels.newInputStream(channel).readNBytes((int) channel.size());
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        }
    }

    /** Replaces a file of text atomically. */
    void replace(Path file, String text) {
        replace(file, channel -> {
            for (ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)); bytes.hasRemaining(); ) {
                channel.write(bytes);
            }
            return file;
        });
    }

    /**
     * Replaces a file atomically: writes a temporary file next to it, then renames it. A reader sees the old content or
     * all of the new.
     */
    <T> T replace(Path file, Writing<T> writing) {
        Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
        boolean finished = false;
        try {
            OwnerFiles.createDirectories(path);
            T written;
            try (FileChannel channel = OwnerFiles.create(unfinished)) {
                written = writing.write(channel);
                channel.force(true);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            finished = true;
            OwnerFiles.forceNamesIn(path);
            return written;
        } catch (IOException e) {
            throw failure("writing " + file, e);
        } finally {
            if (!finished) {
                delete(unfinished);
            }
        }
    }

    /** Deletes an unfinished file after a failure. */
    static void delete(Path unfinished) {
        try {
            Files.deleteIfExists(unfinished);
        } catch (IOException e) {
            return; // the caller gets the failure of the write instead
        }
    }

    /** Writes a file's content. */
    @FunctionalInterface
    interface Writing<T> {
        T write(FileChannel channel) throws IOException;
    }

    /**
     * Deletes the files with images, finished or not, and their indexes that are not in {@code files}.
     */
    void deleteAllBut(Set<Path> files) throws IOException {
        try (DirectoryStream<Path> there = Files.newDirectoryStream(path, IMAGES)) {
            for (Path file : there) {
                if (!files.contains(file)) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** Converts an I/O error to the caller's exception. */
    static PsException failure(String what, IOException e) {
        return new PsException(PsException.Code.STORAGE, what + ": " + reason(e), e);
    }

    private static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file";
        } else if (e instanceof AccessDeniedException) {
            return "access denied";
        } else if (e instanceof FileAlreadyExistsException || e instanceof NotDirectoryException) {
            return ((FileSystemException) e).getFile() + " is not a directory";
        }
        return e instanceof FileSystemException known && known.getReason() != null
                ? known.getFile() + ": " + known.getReason()
                : e.toString();
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The folder of one tensor in one checkpoint: {@code <server's directory>/<checkpoint>/<tensor>.tensor}.
 *
 * @param path the folder's path
 */
record Folder(Path path) {
    static final String SHARD = ".shard";
    static final String UNFINISHED = ".part";
    private static final Pattern CHECKPOINT =
            Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*");
    private static final int LONGEST = 200;

    /**
     * Returns the folder of a tensor.
     *
     * @param root the server's checkpoint directory
     * @param checkpoint the checkpoint's name
     * @throws PsException with {@code BAD_REQUEST} if the name is invalid, or would lead out of the directory
     */
    static Folder of(Path root, String checkpoint, TensorId tensor) {
        return new Folder(path(root, checkpoint).resolve(name(tensor) + ".tensor"));
    }

    /**
     * Returns the path of a checkpoint below a directory.
     *
     * @throws PsException with {@code BAD_REQUEST} if the name is invalid, or would lead out of the directory
     */
    static Path path(Path root, String checkpoint) {
        if (checkpoint.length() > LONGEST || !CHECKPOINT.matcher(checkpoint).matches()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "checkpoint: \"" + checkpoint + "\" (expected: a name below the server's directory, such as"
                            + " model/epoch-3: at most " + LONGEST + " of A-Z a-z 0-9 . _ - and /, no part of it"
                            + " beginning with a dot or a hyphen)");
        }
        return root.resolve(checkpoint);
    }

    /**
     * Returns a file name for the tensor: bytes that are unsafe in file names become {@code %XX}; a long name is cut,
     * and the tensor's number is appended.
     */
    private static String name(TensorId tensor) {
        StringBuilder name = new StringBuilder();
        for (byte each : tensor.name().getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (each & 0xff);
            boolean plain = letter < 128 && (Character.isLetterOrDigit(letter) || "_-.".indexOf(letter) >= 0);
            name.append(plain ? String.valueOf(letter) : "%%%02X".formatted((int) letter));
        }
        return name.length() <= LONGEST
                ? name.toString()
                : name.substring(0, LONGEST) + "-%08x".formatted(tensor.number());
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
            Files.createDirectories(path);
            T written;
            try (FileChannel channel = FileChannel.open(
                    unfinished,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                written = writing.write(channel);
                channel.force(true);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            finished = true;
            force();
            return written;
        } catch (IOException e) {
            throw failure("writing " + file, e);
        } finally {
            if (!finished) {
                delete(unfinished);
            }
        }
    }

    private static void delete(Path unfinished) {
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

    /** Forces the folder's entries to the disk, if the system supports that. */
    private void force() {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            return; // this system cannot open a folder as a file
        }
    }

    /** Deletes the shard files, finished or not, that are not in {@code files}. Returns the number of deleted files. */
    int deleteAllBut(Set<Path> files) throws IOException {
        int deleted = 0;
        try (DirectoryStream<Path> there = Files.newDirectoryStream(path, "*{" + SHARD + "," + UNFINISHED + "}")) {
            for (Path file : there) {
                if (!files.contains(file)) {
                    deleted += Files.deleteIfExists(file) ? 1 : 0;
                }
            }
        }
        return deleted;
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

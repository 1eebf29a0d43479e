package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.spi.CheckpointStore;
import io.psf.builtin.image.ImageInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * The folder of a model. The names of files are relative to it: {@code step-000000000007/model}.
 *
 * @param store the place of all checkpoints
 * @param model the model's name, the folder there
 */
record Folder(CheckpointStore store, String model) {
    String name(String file) {
        return model + "/" + file;
    }

    /** Returns where a file is, for messages. */
    String place(String file) {
        return store.place(name(file));
    }

    CheckpointStore.Entry entry(String file) throws IOException {
        return store.file(name(file));
    }

    CheckpointStore.NewFile create(String file) throws IOException {
        return store.create(name(file));
    }

    /** Opens an image. */
    ImageInput open(SavedImage image) throws IOException {
        return ImageInput.of(store.read(name(image.file())), image.offset(), image.bytes());
    }

    /**
     * Reads a file of text.
     *
     * @throws IOException if it is no file, as a link or a FIFO, or takes more than an eighth of the heap
     */
    String text(String file) throws IOException {
        try (SeekableByteChannel channel = store.read(name(file))) {
            long most = Math.min(Runtime.getRuntime().maxMemory() / 8, Integer.MAX_VALUE / 2);
            if (channel.size() > most) {
                throw new FileSystemException(
                        place(file),
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

    /**
     * Writes a file of text that is not there.
     *
     * @throws PsException with {@code STORAGE} if that fails, or the store has lost the file, or a part of it
     */
    void publish(String file, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            store.publish(name(file), bytes);
            long found = entry(file).bytes();
            if (found != bytes.length) {
                throw new FileSystemException(place(file), null, found + " bytes (expected: " + bytes.length + ")");
            }
        } catch (IOException e) {
            throw failure("writing " + place(file), e);
        }
    }

    /** Returns the failure of a file that can be read, and is not as it was written. */
    PsException damaged(String file, IllegalArgumentException why) {
        return new PsException(
                PsException.Code.STORAGE,
                place(file) + ": damaged, " + why.getMessage() + " (expected: as it was saved)",
                why);
    }

    /** Returns the failure of a file that cannot be read. */
    PsException unreadable(String file, IOException why) {
        return failure("reading " + place(file), why);
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
        } else if (e instanceof NotDirectoryException known) {
            return known.getFile() + " is not a directory";
        } else if (e instanceof FileAlreadyExistsException known) {
            return known.getFile() + " exists";
        }
        return e instanceof FileSystemException known && known.getReason() != null
                ? known.getFile() + ": " + known.getReason()
                : e.toString();
    }
}

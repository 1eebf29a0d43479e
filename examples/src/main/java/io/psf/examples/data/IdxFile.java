package io.psf.examples.data;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * A file of unsigned bytes in the IDX format, as described where MNIST is published: a magic number whose last byte is
 * the number of dimensions, the size of each dimension, then the bytes in row-major order. Numbers are big-endian
 * int32.
 *
 * @param shape the size of each dimension
 * @param bytes the content
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record IdxFile(int[] shape, byte[] bytes) {
    private static final int UNSIGNED_BYTES = 0x800;

    /**
     * Reads a file.
     *
     * @param dimensions the expected number of dimensions
     * @throws PsException with {@code STORAGE} if the file cannot be read, or is not of this form
     */
    static IdxFile read(Path file, int dimensions) {
        ByteBuffer content;
        try {
            content = ByteBuffer.wrap(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, file + ": " + e + " (expected: a file in IDX format)", e);
        }
        try {
            int magic = content.getInt();
            if (magic != UNSIGNED_BYTES + dimensions) {
                throw failure(
                        file,
                        String.format(
                                Locale.ROOT, "magic number 0x%x (expected: 0x%x)", magic, UNSIGNED_BYTES + dimensions));
            }
            int[] shape = new int[dimensions];
            long size = 1;
            for (int i = 0; i < dimensions; i++) {
                shape[i] = content.getInt();
                size = shape[i] < 1 || size > Integer.MAX_VALUE ? -1 : size * shape[i];
            }
            if (size != content.remaining()) {
                throw failure(
                        file,
                        content.remaining() + " bytes after the shape " + Arrays.toString(shape)
                                + " (expected: as many as the shape has)");
            }
            byte[] bytes = new byte[content.remaining()];
            content.get(bytes);
            return new IdxFile(shape, bytes);
        } catch (BufferUnderflowException e) {
            throw failure(
                    file, content.limit() + " bytes (expected: a magic number and " + dimensions + " dimensions)");
        }
    }

    private static PsException failure(Path file, String detail) {
        return new PsException(PsException.Code.STORAGE, file + ": " + detail);
    }
}

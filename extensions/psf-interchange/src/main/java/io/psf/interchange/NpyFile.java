package io.psf.interchange;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Saves a tensor to a npy file and loads it. A growing table is two files: its keys and their rows. */
final class NpyFile {
    private NpyFile() {}

    /**
     * Writes the file of a tensor that does not grow, or replaces it.
     *
     * @throws PsException with {@code STORAGE} if it cannot be written
     */
    static void save(RowSource source, Path file) {
        try (ArrayWriter out = new ArrayWriter(file)) {
            out.bytes(header(source.tensor(), source.tensor().rows()));
            source.exportRows(out);
            out.commit();
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, "writing " + file.toAbsolutePath() + ": " + e, e);
        }
    }

    /**
     * Writes the files of a growing table, or replaces them. If that fails, the files are the ones before, or one of
     * them is missing.
     *
     * @throws PsException with {@code STORAGE} if one cannot be written; with {@code BAD_REQUEST} if both are one file
     */
    static void save(RowSource source, Path keys, Path values) {
        TensorInfo table = source.tensor();
        if (keys.toAbsolutePath().normalize().equals(values.toAbsolutePath().normalize())) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "files of the keys and values of table \"" + table.id() + "\": " + keys + " (expected: two files)");
        }
        try (ArrayWriter outKeys = new ArrayWriter(keys);
                ArrayWriter out = new ArrayWriter(values)) {
            long begin = keysHeader(Long.MAX_VALUE).length; // as long as the header of any smaller number
            outKeys.seek(begin);
            long n = source.exportKeys(outKeys);
            Path unfinished = outKeys.flushed();
            out.bytes(header(table, n));
            source.exportRows(unfinished, begin, n, out);
            outKeys.seek(0);
            outKeys.bytes(keysHeader(n));
            outKeys.force();
            out.force();
            Files.deleteIfExists(values); // new keys never stand beside old values, also after a crash
            outKeys.commit();
            out.commit();
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "writing " + keys.toAbsolutePath() + " and " + values.toAbsolutePath() + ": " + e,
                    e);
        }
    }

    private static byte[] header(TensorInfo tensor, long rows) {
        boolean isVector = !tensor.grows() && tensor.width() == 1;
        return NpyHeader.write(ElementFormat.F32, isVector ? List.of(rows) : List.of(rows, (long) tensor.width()));
    }

    private static byte[] keysHeader(long n) {
        return NpyHeader.write(ElementFormat.I64, List.of(n));
    }

    /**
     * Opens the array of a file.
     *
     * @throws PsException with {@code STORAGE} if the file cannot be read or is damaged
     */
    static FileArray array(Path file) {
        try (ArrayReader in = new ArrayReader(file, 0)) {
            if (!Arrays.equals(in.bytes(NpyHeader.MAGIC.length), NpyHeader.MAGIC)) {
                throw new IllegalArgumentException("first bytes: not as in an npy file (expected: \\x93NUMPY)");
            }
            int version = in.bytes(2)[0];
            if (version < 1 || version > 3) {
                throw new IllegalArgumentException("version: " + version + " (expected: 1, 2 or 3)");
            }
            int bytesOfLength = version == 1 ? 2 : 4;
            long length = 0;
            byte[] lengths = in.bytes(bytesOfLength);
            for (int i = bytesOfLength - 1; i >= 0; i--) {
                length = length << 8 | lengths[i] & 0xff;
            }
            if (length > NpyHeader.MOST_BYTES) {
                throw new IllegalArgumentException(
                        "header of " + length + " bytes (expected: at most " + NpyHeader.MOST_BYTES + ")");
            }
            ArrayInfo info = NpyHeader.parse(in.bytes((int) length));
            long data = NpyHeader.MAGIC.length + 2 + bytesOfLength + length;
            ElementFormat format = ElementFormat.ofNpy(info.type());
            long bytes = in.size() - data;
            if (format != null && (bytes % format.bytes() != 0 || bytes / format.bytes() != info.elements())) {
                throw new IllegalArgumentException("bytes after the header: " + bytes + " (expected: " + format.bytes()
                        + " for each of the elements of " + info.shape() + ")");
            }
            return new FileArray(file.toAbsolutePath(), info, format, data);
        } catch (IOException | IllegalArgumentException e) {
            throw unreadable(file, e);
        }
    }

    private static PsException unreadable(Path file, Exception e) {
        String reason = e instanceof IllegalArgumentException ? e.getMessage() : e.toString();
        return new PsException(PsException.Code.STORAGE, "reading " + file.toAbsolutePath() + ": " + reason, e);
    }
}

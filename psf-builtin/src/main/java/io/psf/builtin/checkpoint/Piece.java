package io.psf.builtin.checkpoint;

import java.nio.file.Path;

/**
 * One shard file of a save, as listed in the manifest.
 *
 * @param begin the first row
 * @param end one past the last row
 * @param bytes the file's length in bytes
 * @param checksum the CRC32C of the file without the checksum at its end
 */
public record Piece(long begin, long end, long bytes, int checksum) {
    /** Returns the file's path. */
    Path file(Folder folder, long save) {
        return folder.path().resolve("%016x-%d-%d%s".formatted(save, begin, end, Folder.SHARD));
    }

    /** Returns the range of rows, for messages. */
    String rows() {
        return "[" + begin + ", " + end + ")";
    }
}

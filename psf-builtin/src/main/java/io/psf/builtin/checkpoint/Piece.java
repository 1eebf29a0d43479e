package io.psf.builtin.checkpoint;

import java.nio.file.Path;

/**
 * One shard file of a save, as listed in the manifest.
 *
 * @param save the unique number of the save that wrote the file
 * @param begin the first row
 * @param end one past the last row
 * @param bytes the file's length in bytes
 * @param checksum the CRC32C of the file without the checksum at its end
 * @param bases the number of files that it builds on: 0 if it has all rows, otherwise it has the changes since them
 */
public record Piece(long save, long begin, long end, long bytes, int checksum, int bases) {
    /** Returns the file's path. */
    Path file(Folder folder) {
        return folder.path().resolve("%016x-%d-%d%s".formatted(save, begin, end, Folder.SHARD));
    }

    /** Returns the range of rows, for messages. */
    String rows() {
        return "[" + begin + ", " + end + ")";
    }
}

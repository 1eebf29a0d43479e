package io.psf.builtin.checkpoint;

import java.nio.file.Path;

/**
 * The file of one shard, as a manifest names it.
 *
 * @param begin the first row
 * @param end one past the last row
 * @param bytes how long it is
 * @param checksum the CRC32C of all of it but the checksum at its end
 */
public record Piece(long begin, long end, long bytes, int checksum) {
    /** Where it is. */
    Path file(Folder folder, long save) {
        return folder.path().resolve("%016x-%d-%d%s".formatted(save, begin, end, Folder.SHARD));
    }

    /** The rows, for messages. */
    String rows() {
        return "[" + begin + ", " + end + ")";
    }
}

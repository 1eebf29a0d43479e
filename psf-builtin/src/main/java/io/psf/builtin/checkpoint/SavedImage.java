package io.psf.builtin.checkpoint;

import java.util.Locale;

/**
 * An image in a file of a checkpoint.
 *
 * @param save the unique number of the save that wrote the image
 * @param begin the first row
 * @param end one past the last row
 * @param file the file, relative to the folder of the checkpoint
 * @param offset the position of the image in the file
 * @param bytes the length of the image in bytes
 * @param checksum the CRC32C of the image without the checksum at its end
 * @param bases the number of images that it builds on: 0 if it has all rows, otherwise it has the changes since them
 */
public record SavedImage(
        long save, long begin, long end, String file, long offset, long bytes, int checksum, int bases) {
    /** Returns the image that is a file of its own, in the folder of its tensor. */
    static SavedImage alone(long save, long begin, long end, long bytes, int checksum, int bases) {
        String file = String.format(Locale.ROOT, "%016x-%d-%d%s", save, begin, end, Folder.SHARD);
        return new SavedImage(save, begin, end, file, 0, bytes, checksum, bases);
    }

    /** Returns the image whose file is in a folder below. */
    SavedImage in(String folder) {
        return new SavedImage(save, begin, end, folder + "/" + file, offset, bytes, checksum, bases);
    }

    /** Returns true if the image is a file of its own. */
    boolean isAlone() {
        return file.endsWith(Folder.SHARD);
    }

    /** Returns the range of rows, for messages. */
    String rows() {
        return "[" + begin + ", " + end + ")";
    }
}

package io.psf.builtin.internal.checkpoint;

/**
 * An image in a file of a checkpoint.
 *
 * @param save the unique number of the save that wrote the image
 * @param begin the first row
 * @param end one past the last row
 * @param file the file, relative to the folder of the model
 * @param offset the position of the image in the file
 * @param bytes the length of the image in bytes
 * @param checksum the CRC32C of the image without the checksum at its end
 * @param bases the number of images that it builds on: 0 if it has all rows, otherwise it has the changes since them
 */
public record SavedImage(
        long save, long begin, long end, String file, long offset, long bytes, int checksum, int bases) {
    /** Returns the range of rows, for messages. */
    String rows() {
        return "[" + begin + ", " + end + ")";
    }
}

package io.psf.examples.data;

import io.psf.api.PsException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Images of one gray value per pixel, with the digit that each of them shows.
 *
 * @param height the number of rows of an image
 * @param width the number of columns of an image
 * @param pixels [images, height, width] uint8
 * @param labels [images] int8
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Images(int height, int width, byte[] pixels, byte[] labels) {
    /** Mean and standard deviation of MNIST's pixels, as fractions of 255. */
    private static final float MEAN = 0.1307f;

    private static final float DEVIATION = 0.3081f;

    /** The normalized value of a black pixel, the background. */
    public static final float BLACK = -MEAN / DEVIATION;

    private static final float[] NORMALIZED = new float[256];

    static {
        for (int value = 0; value < NORMALIZED.length; value++) {
            NORMALIZED[value] = (value / 255f - MEAN) / DEVIATION;
        }
    }

    /**
     * Reads images and their labels.
     *
     * @throws PsException with {@code STORAGE} if a file is not in IDX format, or has not as many elements as the other
     */
    static Images read(Path images, Path labels) {
        IdxFile pixels = IdxFile.read(images, 3);
        IdxFile digits = IdxFile.read(labels, 1);
        if (digits.shape()[0] != pixels.shape()[0]) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    String.format(
                            Locale.ROOT,
                            "%s: %d labels (expected: %d, as there are images in %s)",
                            labels,
                            digits.shape()[0],
                            pixels.shape()[0],
                            images));
        }
        return new Images(pixels.shape()[1], pixels.shape()[2], pixels.bytes(), digits.bytes());
    }

    /** Returns the number of images. */
    public int size() {
        return labels.length;
    }

    /** Returns the digit that an image shows. */
    public int label(int image) {
        return labels[image];
    }

    /** Returns the images from one index to another, exclusive. */
    public Images slice(int begin, int end) {
        int size = height * width;
        return new Images(
                height,
                width,
                Arrays.copyOfRange(pixels, begin * size, end * size),
                Arrays.copyOfRange(labels, begin, end));
    }

    /**
     * Returns the portion of a worker. All portions have the same size, so that all workers take the same number of
     * steps. The remaining images, at most {@code workers - 1}, are not used.
     */
    public Images portion(int rank, int workers) {
        int each = size() / workers;
        return slice(rank * each, (rank + 1) * each);
    }

    /**
     * Writes the normalized pixels of an image: {@code (value / 255 - 0.1307) / 0.3081}.
     *
     * @param into float32; height x width elements are written
     * @param at the index of the first element
     */
    public void normalize(int image, float[] into, int at) {
        int size = height * width;
        for (int i = 0; i < size; i++) {
            into[at + i] = NORMALIZED[pixels[image * size + i] & 0xff];
        }
    }
}

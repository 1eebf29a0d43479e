package io.psf.examples.nn;

/**
 * The shape of an image within a network.
 *
 * @param channels the number of values of a pixel
 * @param height the number of rows
 * @param width the number of columns
 */
public record Shape(int channels, int height, int width) {
    /** Returns the index of a value of a pixel. */
    int at(int channel, int y, int x) {
        return (channel * height + y) * width + x;
    }

    /** Returns the number of values of an image. */
    public int size() {
        return channels * height * width;
    }
}

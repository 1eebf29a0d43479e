package io.psf.examples.nn;

import io.psf.examples.data.Images;
import java.util.Arrays;
import java.util.Random;

/**
 * The batches of a set of images, in the layout of a {@link Network}. Goes through the images again and again, in
 * another order each time. Used by one thread.
 */
public final class Batches {
    private final Images images;
    private final int border;
    private final int[] order;
    private final Random random;
    private final float[][] inputs;
    private final int[] labels;
    private final float[] pixels;
    private int next;
    private int size;

    /**
     * Creates batches of shuffled images.
     *
     * @param border the number of black pixels that are added on each side of an image
     * @param size the number of images of a batch
     * @param seed determines the order
     */
    public Batches(Images images, int border, int size, long seed) {
        this.images = images;
        this.border = border;
        this.random = new Random(seed);
        this.order = new int[images.size()];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
        this.pixels = new float[images.height() * images.width()];
        int width = images.width() + 2 * border;
        this.inputs = new float[(images.height() + 2 * border) * width][size];
        this.labels = new int[size];
        this.next = order.length;
    }

    /** Returns the number of whole batches in the images. */
    public int count() {
        return order.length / labels.length;
    }

    /** Moves to the next whole batch. */
    public void next() {
        if (next + labels.length > order.length) {
            shuffle();
            next = 0;
        }
        fill(next, labels.length);
        next += labels.length;
    }

    /** Returns the share of images that a network classifies correctly. */
    public static double accuracy(Network network, Images images, int border, int size) {
        Batches batches = new Batches(images, border, size, 0);
        int correct = 0;
        for (int at = 0; at < images.size(); at += size) {
            batches.fill(at, Math.min(size, images.size() - at));
            correct += network.correct(batches.size, batches.inputs, batches.labels);
        }
        return (double) correct / images.size();
    }

    /** Returns the number of images of the current batch. */
    public int size() {
        return size;
    }

    /** Returns the pixels of the current batch: [pixels][n] float32, overwritten by the next one. */
    public float[][] inputs() {
        return inputs;
    }

    /** Returns the labels of the current batch: [n] int32, overwritten by the next one. */
    public int[] labels() {
        return labels;
    }

    private void shuffle() {
        for (int i = order.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
    }

    private void fill(int begin, int n) {
        size = n;
        int width = images.width() + 2 * border;
        for (float[] row : inputs) {
            Arrays.fill(row, Images.BLACK);
        }
        for (int i = 0; i < n; i++) {
            int image = order[begin + i];
            labels[i] = images.label(image);
            images.normalize(image, pixels, 0);
            for (int p = 0; p < pixels.length; p++) {
                int y = p / images.width() + border;
                int x = p % images.width() + border;
                inputs[y * width + x][i] = pixels[p];
            }
        }
    }
}

package io.psf.examples.nn;

import java.util.Arrays;

/**
 * The maximum of each square of pixels. Squares do not overlap; rows and columns that do not make a square are ignored.
 * Of equal pixels the first one gets the gradient.
 */
public final class MaxPool implements Layer {
    private final Shape out;
    /** The first pixel of each square. */
    private final int[] corners;
    /** The distances of the pixels of a square from the first one. */
    private final int[] square;

    /** Creates a layer for squares of a side. */
    public MaxPool(Shape in, int side) {
        this.out = new Shape(in.channels(), in.height() / side, in.width() / side);
        this.corners = new int[out.size()];
        Arrays.setAll(
                corners,
                i -> in.at(
                        i / (out.width() * out.height()),
                        i / out.width() % out.height() * side,
                        i % out.width() * side));
        this.square = new int[side * side];
        Arrays.setAll(square, d -> in.at(0, d / side, d % side));
    }

    /** Returns the shape of the output. */
    public Shape shape() {
        return out;
    }

    @Override
    public int outputs() {
        return out.size();
    }

    @Override
    public void forward(int n, float[][] from, float[][] into) {
        for (int s = 0; s < corners.length; s++) {
            float[] largest = into[s];
            System.arraycopy(from[corners[s]], 0, largest, 0, n);
            for (int d = 1; d < square.length; d++) {
                float[] pixel = from[corners[s] + square[d]];
                for (int i = 0; i < n; i++) {
                    largest[i] = Math.max(largest[i], pixel[i]);
                }
            }
        }
    }

    @Override
    public void backward(int n, float[][] from, float[][] into, float[][] ofOut, float[][] ofIn) {
        Rows.clear(n, ofIn);
        for (int s = 0; s < corners.length && ofIn.length > 0; s++) {
            for (int i = 0; i < n; i++) {
                int d = 0;
                while (from[corners[s] + square[d]][i] < into[s][i]) {
                    d++;
                }
                ofIn[corners[s] + square[d]][i] = ofOut[s][i];
            }
        }
    }
}

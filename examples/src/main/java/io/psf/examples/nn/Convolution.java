package io.psf.examples.nn;

import java.util.Arrays;
import java.util.List;

/**
 * A convolution without padding, in steps of one pixel. Its weights are [filters, channels, kernel, kernel]: a weight
 * for each input of a window, and each filter.
 */
public final class Convolution implements Layer {
    private final Shape out;
    private final Parameter weight;
    private final Parameter bias;
    /** The distances of the inputs of a window from the first one, in the order of a filter's weights. */
    private final int[] window;
    /** The first input of the window at each place. */
    private final int[] corners;
    /** The distances of the outputs of all filters at one place. */
    private final int[] everyFilter;

    private float[] products = new float[0];

    /**
     * Creates a layer, with weights of 0.
     *
     * @param kernel the height and the width of a window
     */
    public Convolution(String name, Shape in, int filters, int kernel) {
        this.out = new Shape(filters, in.height() - kernel + 1, in.width() - kernel + 1);
        this.window = new int[in.channels() * kernel * kernel];
        Arrays.setAll(window, k -> in.at(k / (kernel * kernel), k / kernel % kernel, k % kernel));
        this.corners = new int[out.height() * out.width()];
        Arrays.setAll(corners, place -> in.at(0, place / out.width(), place % out.width()));
        this.everyFilter = Rows.every(corners.length, filters);
        this.weight = new Parameter(name + ".weight", window.length, filters * window.length);
        this.bias = new Parameter(name + ".bias", window.length, filters);
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
    public List<Parameter> parameters() {
        return List.of(weight, bias);
    }

    @Override
    public void forward(int n, float[][] from, float[][] into) {
        for (int at = 0; at < out.size(); at++) {
            int filter = at / corners.length;
            Arrays.fill(into[at], 0, n, bias.values()[filter]);
            Rows.addSum(
                    n,
                    into[at],
                    from,
                    corners[at % corners.length],
                    window,
                    weight.values(),
                    filter * window.length,
                    1);
        }
    }

    @Override
    public void backward(int n, float[][] from, float[][] into, float[][] ofOut, float[][] ofIn) {
        if (products.length < n) {
            products = new float[n];
        }
        for (int filter = 0; filter < out.channels(); filter++) {
            bias.gradient()[filter] = ofBias(n, ofOut, filter * corners.length);
            for (int k = 0; k < window.length; k++) {
                weight.gradient()[filter * window.length + k] =
                        ofWeight(n, from, window[k], ofOut, filter * corners.length);
            }
        }
        if (ofIn.length > 0) {
            Rows.clear(n, ofIn);
            for (int place = 0; place < corners.length; place++) {
                for (int k = 0; k < window.length; k++) {
                    float[] ofInput = ofIn[corners[place] + window[k]];
                    Rows.addSum(n, ofInput, ofOut, place, everyFilter, weight.values(), k, window.length);
                }
            }
        }
    }

    private float ofBias(int n, float[][] ofOut, int begin) {
        float sum = 0;
        for (int place = 0; place < corners.length; place++) {
            sum += Rows.sum(n, ofOut[begin + place]);
        }
        return sum;
    }

    /** Returns the gradient by one weight: the sum of the products of its inputs and the gradient by their outputs. */
    private float ofWeight(int n, float[][] from, int step, float[][] ofOut, int begin) {
        Arrays.fill(products, 0, n, 0);
        int place = 0;
        for (; place + 2 <= corners.length; place += 2) {
            float[] first = from[corners[place] + step];
            float[] second = from[corners[place + 1] + step];
            Rows.addProducts(n, products, first, ofOut[begin + place], second, ofOut[begin + place + 1]);
        }
        if (place < corners.length) {
            Rows.addProduct(n, products, from[corners[place] + step], ofOut[begin + place]);
        }
        return Rows.sum(n, products);
    }
}

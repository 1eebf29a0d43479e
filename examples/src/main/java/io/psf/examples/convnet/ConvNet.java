package io.psf.examples.convnet;

import io.psf.examples.nn.Convolution;
import io.psf.examples.nn.Linear;
import io.psf.examples.nn.MaxPool;
import io.psf.examples.nn.Network;
import io.psf.examples.nn.Relu;
import io.psf.examples.nn.Shape;
import java.util.List;

/** The network: a convolution of 3 filters, the maximum of squares of 3 x 3 pixels, and a linear layer. */
final class ConvNet {
    /** The number of images of a batch. */
    static final int BATCH = 128;

    private ConvNet() {}

    static Network create() {
        Convolution convolution = new Convolution("conv1", new Shape(1, 28, 28), 3, 3);
        MaxPool pool = new MaxPool(convolution.shape(), 3);
        Relu relu = new Relu(pool.outputs());
        Linear linear = new Linear("fc", relu.outputs(), 10);
        return new Network(28 * 28, BATCH, List.of(convolution, pool, relu, linear));
    }
}

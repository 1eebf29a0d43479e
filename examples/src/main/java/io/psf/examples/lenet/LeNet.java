package io.psf.examples.lenet;

import io.psf.examples.nn.Convolution;
import io.psf.examples.nn.Layer;
import io.psf.examples.nn.Linear;
import io.psf.examples.nn.MaxPool;
import io.psf.examples.nn.Network;
import io.psf.examples.nn.Relu;
import io.psf.examples.nn.Shape;
import java.util.List;

/**
 * LeNet-5 with rectifiers, on images of 32 x 32 pixels. Y. LeCun et al.: Gradient-Based Learning Applied to Document
 * Recognition, Proceedings of the IEEE 86, 1998.
 */
final class LeNet {
    /** The number of black pixels around an image of MNIST. */
    static final int BORDER = 2;

    private LeNet() {}

    static Network create(int batch) {
        Convolution one = new Convolution("conv1", new Shape(1, 32, 32), 6, 5);
        MaxPool half = new MaxPool(one.shape(), 2);
        Convolution two = new Convolution("conv2", half.shape(), 16, 5);
        MaxPool quarter = new MaxPool(two.shape(), 2);
        List<Layer> layers = List.of(
                one,
                new Relu(one.outputs()),
                half,
                two,
                new Relu(two.outputs()),
                quarter,
                new Linear("fc1", quarter.outputs(), 120),
                new Relu(120),
                new Linear("fc2", 120, 84),
                new Relu(84),
                new Linear("fc3", 84, 10));
        return new Network(32 * 32, batch, layers);
    }
}

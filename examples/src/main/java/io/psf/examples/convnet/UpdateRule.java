package io.psf.examples.convnet;

import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.examples.lion.Lion;
import java.util.Locale;

/** The update rules of the weights, which run on the servers. Lion is an optimizer of the examples. */
enum UpdateRule {
    SGD,
    MOMENTUM,
    ADAM,
    LION;

    OptimizerSpec of(double learningRate) {
        return switch (this) {
            case SGD -> Optimizers.sgd(learningRate);
            case MOMENTUM -> Optimizers.momentum(learningRate, 0.9);
            case ADAM -> Optimizers.adam(learningRate);
            case LION -> Optimizers.of(new Lion((float) learningRate, 0.9f, 0.99f, 0));
        };
    }

    /** Returns the option's value on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

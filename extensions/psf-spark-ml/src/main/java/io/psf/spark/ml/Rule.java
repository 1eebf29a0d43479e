package io.psf.spark.ml;

import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import java.io.Serial;
import java.io.Serializable;

/**
 * The optimizer of a tensor, and its state where a training begins with weights: the state of a weight w is {@code
 * ofWeight * w + ofSign * sign(w)}, as if no gradient had been pushed yet.
 *
 * @param state the name of the state
 */
record Rule(OptimizerSpec optimizer, String state, float ofWeight, float ofSign) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    /** Returns AdaGrad, whose sum of squares is 0 then. */
    static Rule adaGrad(double rate) {
        return new Rule(Optimizers.adaGrad(rate, 1, 1e-7), "adagrad.a", 0, 0);
    }

    /** Returns Adam, whose moments are 0 then. */
    static Rule adam(double rate) {
        return new Rule(Optimizers.adam(rate), "adam.m", 0, 0);
    }

    /**
     * Returns FTRL with beta = 1, whose weight is a function of its state: with n = 0, w = -(z - sign(z) l1) / (1 / rate
     * + l2).
     */
    static Rule ftrl(double rate, double l1, double l2) {
        return new Rule(Optimizers.ftrl(rate, l1, l2), "ftrl.z", (float) -(1 / rate + l2), (float) -l1);
    }

    /** Returns the state of weights. */
    float[] states(float[] weights) {
        float[] states = new float[weights.length];
        for (int i = 0; i < weights.length; i++) {
            states[i] = ofWeight * weights[i] + ofSign * Math.signum(weights[i]);
        }
        return states;
    }
}

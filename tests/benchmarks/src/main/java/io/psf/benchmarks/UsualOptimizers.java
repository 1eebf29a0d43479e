package io.psf.benchmarks;

import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;

/** The optimizers of psf with typical arguments. */
@SuppressWarnings("ImmutableEnumChecker") // specs are immutable
public enum UsualOptimizers {
    ADD(Optimizers.add(), 3),
    ASSIGN(Optimizers.assign(), 2),
    SGD(Optimizers.sgd(0.01), 3),
    MOMENTUM(Optimizers.momentum(0.01, 0.9), 5),
    NESTEROV(Optimizers.nesterov(0.01, 0.9), 5),
    ADA_GRAD(Optimizers.adaGrad(0.01), 5),
    ROW_ADA_GRAD(Optimizers.rowAdaGrad(0.01), 3),
    RMS_PROP(Optimizers.rmsProp(0.01), 5),
    ADA_DELTA(Optimizers.adaDelta(), 7),
    ADAM(Optimizers.adam(0.001), 7),
    LAZY_ADAM(Optimizers.lazyAdam(0.001), 7),
    ADAM_W(Optimizers.adamW(0.001), 7),
    FTRL(Optimizers.ftrl(0.1, 1, 1), 7);

    private final OptimizerSpec spec;
    private final int touched;

    UsualOptimizers(OptimizerSpec spec, int touched) {
        this.spec = spec;
        this.touched = touched;
    }

    /** Returns the spec. */
    public OptimizerSpec spec() {
        return spec;
    }

    /**
     * Returns the number of arrays that a step reads and writes: the update, the values and the state. An array that is
     * both read and written counts twice; values that are only written count once.
     */
    int touched() {
        return touched;
    }
}

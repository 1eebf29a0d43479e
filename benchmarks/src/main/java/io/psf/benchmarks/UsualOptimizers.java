package io.psf.benchmarks;

import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.optimizer.Rule;

/** Each kind of optimizer with typical arguments. */
public final class UsualOptimizers {
    private UsualOptimizers() {}

    /** Returns the optimizer of a kind. */
    public static OptimizerSpec of(Rule rule) {
        return switch (rule) {
            case ADD -> Optimizers.add();
            case ASSIGN -> Optimizers.assign();
            case SGD -> Optimizers.sgd(0.01);
            case MOMENTUM -> Optimizers.momentum(0.01, 0.9);
            case NESTEROV -> Optimizers.nesterov(0.01, 0.9);
            case ADA_GRAD -> Optimizers.adaGrad(0.01);
            case ADAM -> Optimizers.adam(0.001);
        };
    }
}

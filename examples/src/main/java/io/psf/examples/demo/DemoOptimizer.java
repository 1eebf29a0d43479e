package io.psf.examples.demo;

import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** The optimizers that the demo trains with, each with rates that suit the data. */
@SuppressWarnings("ImmutableEnumChecker") // stateless lambdas
enum DemoOptimizer {
    ADAGRAD(Optimizers::adaGrad, 0.1, 0.05),
    ROW_ADAGRAD(Optimizers::rowAdaGrad, 0.1, 0.05),
    SGD(Optimizers::sgd, 1, 0.2),
    MOMENTUM(lr -> Optimizers.momentum(lr, 0.9), 0.2, 0.03),
    NESTEROV(lr -> Optimizers.nesterov(lr, 0.9), 0.2, 0.03),
    RMSPROP(Optimizers::rmsProp, 0.005, 0.002),
    ADADELTA(lr -> Optimizers.adaDelta(lr, 0.95, 1e-6), 3, 1),
    ADAM(Optimizers::adam, 0.005, 0.002),
    LAZY_ADAM(Optimizers::lazyAdam, 0.005, 0.002),
    ADAMW(lr -> Optimizers.adamW(lr, 0.9, 0.999, 1e-8, 0.001), 0.005, 0.002),
    LAMB(lr -> Optimizers.lamb(lr, 0.9, 0.999, 1e-6, 0.001), 0.02, 0.01),
    FTRL(lr -> Optimizers.ftrl(lr, 1, 0.0001, 0.001), 0.3, 0.1);

    private final DoubleFunction<OptimizerSpec> kind;
    private final double ofTables;
    private final double ofDense;

    DemoOptimizer(DoubleFunction<OptimizerSpec> kind, double ofTables, double ofDense) {
        this.kind = kind;
        this.ofTables = ofTables;
        this.ofDense = ofDense;
    }

    /** Returns the optimizer of the wide weights. */
    OptimizerSpec wide() {
        return kind.apply(ofTables);
    }

    /** Returns the optimizer of the embeddings. FTRL is for linear weights: the other parts have AdaGrad beside it. */
    OptimizerSpec embedding() {
        return this == FTRL ? ADAGRAD.embedding() : kind.apply(ofTables);
    }

    /** Returns the optimizer of the network. */
    OptimizerSpec dense() {
        return this == FTRL ? ADAGRAD.dense() : kind.apply(ofDense);
    }

    /** Returns the option's value on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

package io.psf.builtin;

import io.psf.builtin.optimizer.Rule;

/**
 * Factory methods for optimizers. An optimizer runs on the servers and defines how a push changes a tensor. In the
 * formulas, g is the pushed update and w the values. A push of some rows changes only those rows and their optimizer
 * state. Each method throws {@link IllegalArgumentException} if an argument is out of range.
 */
public final class Optimizers {
    private Optimizers() {}

    /** w += g. */
    public static OptimizerSpec add() {
        return add(1);
    }

    /** w += scale g. */
    public static OptimizerSpec add(double scale) {
        return OptimizerSpec.of(Rule.ADD, scale);
    }

    /** w = g. */
    public static OptimizerSpec assign() {
        return OptimizerSpec.of(Rule.ASSIGN);
    }

    /** Gradient descent: w -= lr g. */
    public static OptimizerSpec sgd(double lr) {
        return OptimizerSpec.of(Rule.SGD, lr);
    }

    /** Gradient descent with momentum, 0 &lt;= m &lt; 1: v = m v - lr g; w += v. */
    public static OptimizerSpec momentum(double lr, double m) {
        return OptimizerSpec.of(Rule.MOMENTUM, lr, m);
    }

    /** Gradient descent with Nesterov's momentum, 0 &lt;= m &lt; 1: t = -lr g; v = m (v + t); w += v + t. */
    public static OptimizerSpec nesterov(double lr, double m) {
        return OptimizerSpec.of(Rule.NESTEROV, lr, m);
    }

    /** AdaGrad with an initial accumulator of 0 and eps = 1e-7. */
    public static OptimizerSpec adaGrad(double lr) {
        return adaGrad(lr, 0, 1e-7);
    }

    /** AdaGrad: a += g^2; w -= lr g / (sqrt a + eps). The initial accumulator is a = a0 &gt;= 0. */
    public static OptimizerSpec adaGrad(double lr, double a0, double eps) {
        return OptimizerSpec.of(Rule.ADA_GRAD, lr, a0, eps);
    }

    /** Adam with b1 = 0.9, b2 = 0.999 and eps = 1e-8, as its authors recommend. */
    public static OptimizerSpec adam(double lr) {
        return adam(lr, 0.9, 0.999, 1e-8);
    }

    /** Adam. The bias correction uses each row's own number of steps. */
    public static OptimizerSpec adam(double lr, double b1, double b2, double eps) {
        return OptimizerSpec.of(Rule.ADAM, lr, b1, b2, eps);
    }
}

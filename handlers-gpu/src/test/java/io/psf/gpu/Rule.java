package io.psf.gpu;

import io.psf.api.Optimizer;
import io.psf.builtin.optimizer.AdaDelta;
import io.psf.builtin.optimizer.AdaGrad;
import io.psf.builtin.optimizer.Adam;
import io.psf.builtin.optimizer.AdamW;
import io.psf.builtin.optimizer.Add;
import io.psf.builtin.optimizer.Assign;
import io.psf.builtin.optimizer.Ftrl;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.Lamb;
import io.psf.builtin.optimizer.LazyAdam;
import io.psf.builtin.optimizer.Momentum;
import io.psf.builtin.optimizer.Nesterov;
import io.psf.builtin.optimizer.RmsProp;
import io.psf.builtin.optimizer.RowAdaGrad;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.TiledOptimizer;

/** The optimizers that the kernels have. */
public enum Rule {
    ADD(1),
    ASSIGN(0),
    SGD(1),
    MOMENTUM(2),
    NESTEROV(2),
    ADA_GRAD(3),
    ADAM(4),
    RMS_PROP(3),
    ADA_DELTA(3),
    ADAM_W(5),
    LAZY_ADAM(4),
    FTRL(4),
    ROW_ADA_GRAD(3),
    LAMB(5);

    private final int arguments;

    Rule(int arguments) {
        this.arguments = arguments;
    }

    /** Returns the number of arguments. */
    public int arguments() {
        return arguments;
    }

    /** Returns the formula. */
    public Kernel kernel(float... a) {
        return switch (this) {
            case ADD -> new Add(a[0]);
            case ASSIGN -> new Assign();
            case SGD -> new Sgd(a[0]);
            case MOMENTUM -> new Momentum(a[0], a[1]);
            case NESTEROV -> new Nesterov(a[0], a[1]);
            case ADA_GRAD -> new AdaGrad(a[0], a[1], a[2]);
            case ADAM -> new Adam(a[0], a[1], a[2], a[3]);
            case RMS_PROP -> new RmsProp(a[0], a[1], a[2]);
            case ADA_DELTA -> new AdaDelta(a[0], a[1], a[2]);
            case ADAM_W -> new AdamW(a[0], a[1], a[2], a[3], a[4]);
            case LAZY_ADAM -> new LazyAdam(a[0], a[1], a[2], a[3]);
            case ROW_ADA_GRAD -> new RowAdaGrad(a[0], a[1], a[2]);
            case LAMB -> new Lamb(a[0], a[1], a[2], a[3], a[4]);
            case FTRL -> new Ftrl(a[0], a[1], a[2], a[3], 0);
        };
    }

    /** Returns the optimizer. */
    public Optimizer create(float... a) {
        return new TiledOptimizer(name(), kernel(a));
    }
}

package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;

/** An optimizer that steps by a formula, in host memory or elsewhere. The steps may depend on the number of pushes. */
public interface SteppedByPushes extends Optimizer {
    /** True if each push is one step, also a push without rows: it is not divided and not left out. */
    boolean dependsOnPushes();

    /** Returns the optimizer in host memory, whose formula and options these are. */
    TiledOptimizer onHost();

    /** True if an optimizer's steps depend on the number of pushes. */
    static boolean of(Optimizer optimizer) {
        return optimizer instanceof SteppedByPushes each && each.dependsOnPushes();
    }
}

package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;

/** An optimizer that says whether its steps depend on the number of pushes. Any other one does not. */
public interface SteppedByPushes extends Optimizer {
    /** True if each push is one step, also a push without rows: it is not divided and not left out. */
    boolean dependsOnPushes();

    /** True if the optimizer's steps depend on the number of pushes. */
    static boolean of(Optimizer optimizer) {
        return optimizer instanceof SteppedByPushes each && each.dependsOnPushes();
    }
}

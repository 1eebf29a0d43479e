package io.psf.testkit;

import io.psf.api.Optimizer;
import io.psf.api.TensorInfo;
import java.util.function.IntToDoubleFunction;

/**
 * A tensor that a test asks for.
 *
 * @param info its name and shape
 * @param values element i of [rows, width] to begin with
 * @param optimizer how pushes change it
 */
record TestTensor(TensorInfo info, IntToDoubleFunction values, Optimizer optimizer) {
    /** Neighbours differ, and sums of a few thousand are exact. */
    static double unlike(int i) {
        return (i * 37L % 101 - 50) / 8.0;
    }
}

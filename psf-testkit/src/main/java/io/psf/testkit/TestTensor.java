package io.psf.testkit;

import io.psf.api.Optimizer;
import io.psf.api.TensorInfo;
import java.util.function.IntToDoubleFunction;

/**
 * A tensor that a test declares.
 *
 * @param info the tensor's name and shape
 * @param values the initial value of element i of [rows, width]
 * @param optimizer the optimizer: the rule by which pushes change the tensor
 */
record TestTensor(TensorInfo info, IntToDoubleFunction values, Optimizer optimizer) {
    /**
     * Returns the default value of element i. Neighbouring values differ, and sums of a few thousand values are exact.
     */
    static double unlike(int i) {
        return (i * 37L % 101 - 50) / 8.0;
    }
}

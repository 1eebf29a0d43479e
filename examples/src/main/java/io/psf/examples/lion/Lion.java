package io.psf.examples.lion;

import io.psf.api.PsOptimizer;
import io.psf.builtin.optimizer.Kernel;
import java.util.List;

/**
 * An optimizer of one's own, in one class: Lion (Chen et al., NeurIPS 2023, program 1). The servers find it by its name
 * on their class path.
 *
 * @param lr the learning rate
 * @param b1 the share of the momentum in the step
 * @param b2 the share of the momentum that a step retains
 * @param decay the weight decay
 */
@PsOptimizer("examples.lion")
public record Lion(float lr, float b1, float b2, float decay) implements Kernel {
    @Override
    public List<String> state() {
        return List.of("lion.m");
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        float[] m = state[0];
        for (int i = begin; i < end; i++) {
            w[i] -= lr * (Math.signum(b1 * m[i] + (1 - b1) * g[i]) + decay * w[i]);
            m[i] = b2 * m[i] + (1 - b2) * g[i];
        }
    }
}

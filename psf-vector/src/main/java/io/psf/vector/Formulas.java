package io.psf.vector;

import static jdk.incubator.vector.VectorOperators.SQRT;

import io.psf.builtin.optimizer.AdaGrad;
import io.psf.builtin.optimizer.Adam;
import io.psf.builtin.optimizer.Add;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.Momentum;
import io.psf.builtin.optimizer.Nesterov;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.SpanKernel;
import jdk.incubator.vector.FloatVector;
import org.jspecify.annotations.Nullable;

/**
 * The formulas of the {@link Kernel}s, operation by operation as there, so that they round alike. Each has its own
 * loop: one that several formulas shared could not be compiled into vector instructions.
 */
final class Formulas {
    private static final int LANES = Floats.SPECIES.length();

    private Formulas() {}

    /** A kernel over memory off the heap; null if there is nothing to gain from vectors. */
    static @Nullable SpanKernel of(Kernel kernel, Floats w, Floats g, Floats[] state) {
        if (kernel instanceof Add rule) {
            return (at, from, n, steps) -> add(rule.scale(), w, at, g, from, n);
        } else if (kernel instanceof Sgd rule) {
            return (at, from, n, steps) -> add(-rule.lr(), w, at, g, from, n);
        } else if (kernel instanceof Momentum rule) {
            return (at, from, n, steps) -> momentum(rule, w, at, g, from, state[0], n);
        } else if (kernel instanceof Nesterov rule) {
            return (at, from, n, steps) -> nesterov(rule, w, at, g, from, state[0], n);
        } else if (kernel instanceof AdaGrad rule) {
            return (at, from, n, steps) -> adaGrad(rule, w, at, g, from, state[0], n);
        } else if (kernel instanceof Adam rule) {
            return (at, from, n, steps) -> adam(rule, steps, w, at, g, from, state[0], state[1], n);
        }
        return null;
    }

    private static int add(float scale, Floats w, int at, Floats g, int from, int n) {
        int end = Floats.SPECIES.loopBound(n);
        for (int i = 0; i < end; i += LANES) {
            w.store(at + i, w.load(at + i).add(g.load(from + i).mul(scale)));
        }
        return end;
    }

    private static int momentum(Momentum rule, Floats w, int at, Floats g, int from, Floats v, int n) {
        float rate = rule.lr();
        float kept = rule.m();
        int end = Floats.SPECIES.loopBound(n);
        for (int i = 0; i < end; i += LANES) {
            FloatVector velocity = v.load(at + i).mul(kept).sub(g.load(from + i).mul(rate));
            v.store(at + i, velocity);
            w.store(at + i, w.load(at + i).add(velocity));
        }
        return end;
    }

    private static int nesterov(Nesterov rule, Floats w, int at, Floats g, int from, Floats v, int n) {
        float rate = -rule.lr();
        float kept = rule.m();
        int end = Floats.SPECIES.loopBound(n);
        for (int i = 0; i < end; i += LANES) {
            FloatVector t = g.load(from + i).mul(rate);
            FloatVector velocity = v.load(at + i).add(t).mul(kept);
            v.store(at + i, velocity);
            w.store(at + i, w.load(at + i).add(velocity.add(t)));
        }
        return end;
    }

    private static int adaGrad(AdaGrad rule, Floats w, int at, Floats g, int from, Floats a, int n) {
        float rate = rule.lr();
        float first = rule.a0();
        float small = rule.eps();
        int end = Floats.SPECIES.loopBound(n);
        for (int i = 0; i < end; i += LANES) {
            FloatVector gradient = g.load(from + i);
            FloatVector sum = a.load(at + i).add(gradient.mul(gradient));
            a.store(at + i, sum);
            FloatVector root = sum.add(first).lanewise(SQRT).add(small);
            w.store(at + i, w.load(at + i).sub(gradient.mul(rate).div(root)));
        }
        return end;
    }

    private static int adam(
            Adam rule, int steps, Floats w, int at, Floats g, int from, Floats m, Floats v, int n) {
        float rate = rule.correction().rate(steps);
        float root = rule.correction().root(steps);
        float keptM = rule.b1();
        float keptV = rule.b2();
        float newM = (float) (1.0 - rule.b1());
        float newV = (float) (1.0 - rule.b2());
        float small = rule.eps();
        int end = Floats.SPECIES.loopBound(n);
        for (int i = 0; i < end; i += LANES) {
            FloatVector gradient = g.load(from + i);
            FloatVector mean = m.load(at + i).mul(keptM).add(gradient.mul(newM));
            FloatVector square =
                    v.load(at + i).mul(keptV).add(gradient.mul(newV).mul(gradient));
            m.store(at + i, mean);
            v.store(at + i, square);
            FloatVector divisor = square.lanewise(SQRT).mul(root).add(small);
            w.store(at + i, w.load(at + i).sub(mean.mul(rate).div(divisor)));
        }
        return end;
    }
}

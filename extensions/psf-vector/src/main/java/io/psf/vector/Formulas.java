package io.psf.vector;

import static jdk.incubator.vector.VectorOperators.SQRT;

import io.psf.builtin.optimizer.AdaDelta;
import io.psf.builtin.optimizer.AdaGrad;
import io.psf.builtin.optimizer.Adam;
import io.psf.builtin.optimizer.AdamW;
import io.psf.builtin.optimizer.Add;
import io.psf.builtin.optimizer.Ftrl;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.LazyAdam;
import io.psf.builtin.optimizer.Momentum;
import io.psf.builtin.optimizer.Nesterov;
import io.psf.builtin.optimizer.RmsProp;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.SpanKernel;
import jdk.incubator.vector.FloatVector;
import org.jspecify.annotations.Nullable;

/**
 * The formulas of the {@link Kernel}s, with the same operations in the same order, so that the results round
 * identically. Each formula has its own loop: the JIT could not compile a loop shared by several formulas into vector
 * instructions. Where memory is sliced ({@link Floats#part}), it is sliced to the span right before the loop, so that
 * the JIT can prove that every access is within bounds.
 */
final class Formulas {
    private static final int LANES = Floats.SPECIES.length();

    private Formulas() {}

    /** Returns a kernel over off-heap memory; null if vectors do not speed up the rule. */
    static @Nullable SpanKernel of(Kernel kernel, Floats w, Floats g, Floats[] state) {
        if (kernel instanceof Add rule) {
            return (at, from, n, steps) -> add(rule.scale(), w, at, g, from, n);
        } else if (kernel instanceof Sgd rule) {
            return (at, from, n, steps) -> add(-rule.lr(), w, at, g, from, n);
        } else if (kernel instanceof Momentum rule) {
            return (at, from, n, steps) -> momentum(rule, w, state[0], at, g, from, n);
        } else if (kernel instanceof Nesterov rule) {
            return (at, from, n, steps) -> nesterov(rule, w, state[0], at, g, from, n);
        } else if (kernel instanceof AdaGrad rule) {
            return (at, from, n, steps) -> adaGrad(rule, w, state[0], at, g, from, n);
        } else if (kernel instanceof RmsProp rule) {
            return (at, from, n, steps) -> rmsProp(rule, w, state[0], at, g, from, n);
        } else if (kernel instanceof AdaDelta rule) {
            return (at, from, n, steps) -> adaDelta(rule, w, state[0], state[1], at, g, from, n);
        } else if (kernel instanceof Ftrl rule && rule.n0() == 0) {
            return (at, from, n, steps) -> ftrl(rule, w, state[0], state[1], at, g, from, n);
        }
        return ofAdam(kernel, w, g, state);
    }

    private static @Nullable SpanKernel ofAdam(Kernel kernel, Floats w, Floats g, Floats[] state) {
        if (kernel instanceof Adam rule) {
            return (at, from, n, steps) -> adam(rule, 1, steps, w, state[0], state[1], at, g, from, n);
        } else if (kernel instanceof AdamW rule) {
            return (at, from, n, steps) -> adam(rule.adam(), rule.kept(), steps, w, state[0], state[1], at, g, from, n);
        } else if (kernel instanceof LazyAdam rule) {
            return (at, from, n, steps) -> adam(rule.adam(), 1, steps, w, state[0], state[1], at, g, from, n);
        }
        return null;
    }

    private static int add(float scale, Floats weights, int at, Floats update, int from, int n) {
        int end = Floats.SPECIES.loopBound(n);
        Floats w = weights.part(at, end);
        Floats g = update.part(from, end);
        for (int i = 0; i < end; i += LANES) {
            w.store(i, w.load(i).add(g.load(i).mul(scale)));
        }
        return end;
    }

    private static int momentum(Momentum rule, Floats weights, Floats vs, int at, Floats update, int from, int n) {
        float rate = rule.lr();
        float kept = rule.m();
        int end = Floats.SPECIES.loopBound(n);
        Floats w = weights.part(at, end);
        Floats v = vs.part(at, end);
        Floats g = update.part(from, end);
        for (int i = 0; i < end; i += LANES) {
            FloatVector velocity = v.load(i).mul(kept).sub(g.load(i).mul(rate));
            v.store(i, velocity);
            w.store(i, w.load(i).add(velocity));
        }
        return end;
    }

    private static int nesterov(Nesterov rule, Floats weights, Floats vs, int at, Floats update, int from, int n) {
        float rate = -rule.lr();
        float kept = rule.m();
        int end = Floats.SPECIES.loopBound(n);
        Floats w = weights.part(at, end);
        Floats v = vs.part(at, end);
        Floats g = update.part(from, end);
        for (int i = 0; i < end; i += LANES) {
            FloatVector t = g.load(i).mul(rate);
            FloatVector velocity = v.load(i).add(t).mul(kept);
            v.store(i, velocity);
            w.store(i, w.load(i).add(velocity.add(t)));
        }
        return end;
    }

    private static int adaGrad(AdaGrad rule, Floats weights, Floats sums, int at, Floats update, int from, int n) {
        float rate = rule.lr();
        float first = rule.a0();
        float small = rule.eps();
        int end = Floats.SPECIES.loopBound(n);
        Floats w = weights.part(at, end);
        Floats a = sums.part(at, end);
        Floats g = update.part(from, end);
        for (int i = 0; i < end; i += LANES) {
            FloatVector gradient = g.load(i);
            FloatVector sum = a.load(i).add(gradient.mul(gradient));
            a.store(i, sum);
            FloatVector root = sum.add(first).lanewise(SQRT).add(small);
            w.store(i, w.load(i).sub(gradient.mul(rate).div(root)));
        }
        return end;
    }

    private static int rmsProp(RmsProp rule, Floats weights, Floats means, int at, Floats update, int from, int n) {
        float rate = rule.lr();
        float kept = rule.rho();
        float fresh = (float) (1.0 - rule.rho());
        float small = rule.eps();
        int end = Floats.SPECIES.loopBound(n);
        Floats w = weights.part(at, end);
        Floats a = means.part(at, end);
        Floats g = update.part(from, end);
        for (int i = 0; i < end; i += LANES) {
            FloatVector gradient = g.load(i);
            FloatVector mean = a.load(i).mul(kept).add(gradient.mul(fresh).mul(gradient));
            a.store(i, mean);
            FloatVector divisor = mean.lanewise(SQRT).add(small);
            w.store(i, w.load(i).sub(gradient.mul(rate).div(divisor)));
        }
        return end;
    }

    private static int adaDelta(
            AdaDelta rule, Floats weights, Floats as, Floats xs, int at, Floats update, int from, int n) {
        float rate = rule.lr();
        float kept = rule.rho();
        float fresh = (float) (1.0 - rule.rho());
        float small = rule.eps();
        int end = Floats.SPECIES.loopBound(n);
        Floats w = weights.part(at, end);
        Floats a = as.part(at, end);
        Floats x = xs.part(at, end);
        Floats g = update.part(from, end);
        for (int i = 0; i < end; i += LANES) {
            FloatVector gradient = g.load(i);
            FloatVector progress = x.load(i);
            FloatVector mean = a.load(i).mul(kept).add(gradient.mul(fresh).mul(gradient));
            a.store(i, mean);
            FloatVector d =
                    progress.add(small).div(mean.add(small)).lanewise(SQRT).mul(gradient);
            x.store(i, progress.mul(kept).add(d.mul(fresh).mul(d)));
            w.store(i, w.load(i).sub(d.mul(rate)));
        }
        return end;
    }

    private static int ftrl(Ftrl rule, Floats weights, Floats zs, Floats ns, int at, Floats update, int from, int n) {
        FloatVector rate = FloatVector.broadcast(Floats.SPECIES, 1 / rule.lr());
        FloatVector first = FloatVector.broadcast(Floats.SPECIES, rule.beta());
        FloatVector bound = FloatVector.broadcast(Floats.SPECIES, rule.l1());
        FloatVector least = FloatVector.broadcast(Floats.SPECIES, -rule.l1());
        FloatVector ridge = FloatVector.broadcast(Floats.SPECIES, rule.l2());
        FloatVector tiny = FloatVector.broadcast(Floats.SPECIES, Float.MIN_NORMAL);
        int end = Floats.SPECIES.loopBound(n);
        Floats w = weights.part(at, end);
        Floats z = zs.part(at, end);
        Floats squares = ns.part(at, end);
        Floats g = update.part(from, end);
        for (int i = 0; i < end; i += LANES) {
            FloatVector gradient = g.load(i);
            FloatVector before = squares.load(i);
            FloatVector after = before.add(gradient.mul(gradient));
            squares.store(i, after);
            FloatVector root = after.lanewise(SQRT);
            FloatVector shift = root.sub(before.lanewise(SQRT)).mul(rate).mul(w.load(i));
            FloatVector sum = z.load(i).add(gradient.sub(shift));
            z.store(i, sum);
            FloatVector within = sum.min(bound).max(least);
            FloatVector divisor = root.add(first).mul(rate).add(ridge).max(tiny);
            w.store(i, within.sub(sum).div(divisor));
        }
        return end;
    }

    /** The formula of Adam, after the weights have been multiplied by a factor. */
    private static int adam(
            Adam rule,
            float factor,
            int steps,
            Floats weights,
            Floats ms,
            Floats vs,
            int at,
            Floats update,
            int from,
            int n) {
        float rate = rule.correction().rate(rule.lr(), steps);
        float root = rule.correction().root(steps);
        float keptM = rule.b1();
        float keptV = rule.b2();
        float newM = (float) (1.0 - rule.b1());
        float newV = (float) (1.0 - rule.b2());
        float small = rule.eps();
        int end = Floats.SPECIES.loopBound(n);
        Floats w = weights.part(at, end);
        Floats m = ms.part(at, end);
        Floats v = vs.part(at, end);
        Floats g = update.part(from, end);
        for (int i = 0; i < end; i += LANES) {
            FloatVector gradient = g.load(i);
            FloatVector mean = m.load(i).mul(keptM).add(gradient.mul(newM));
            FloatVector square = v.load(i).mul(keptV).add(gradient.mul(newV).mul(gradient));
            m.store(i, mean);
            v.store(i, square);
            FloatVector divisor = square.lanewise(SQRT).mul(root).add(small);
            w.store(i, w.load(i).mul(factor).sub(mean.mul(rate).div(divisor)));
        }
        return end;
    }
}

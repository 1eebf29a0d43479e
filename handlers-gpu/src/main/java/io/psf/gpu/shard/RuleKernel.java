package io.psf.gpu.shard;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.builtin.optimizer.AdaDelta;
import io.psf.builtin.optimizer.AdaGrad;
import io.psf.builtin.optimizer.Adam;
import io.psf.builtin.optimizer.AdamW;
import io.psf.builtin.optimizer.Add;
import io.psf.builtin.optimizer.Assign;
import io.psf.builtin.optimizer.Correction;
import io.psf.builtin.optimizer.Ftrl;
import io.psf.builtin.optimizer.Gradients;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.Lamb;
import io.psf.builtin.optimizer.LazyAdam;
import io.psf.builtin.optimizer.Momentum;
import io.psf.builtin.optimizer.Nesterov;
import io.psf.builtin.optimizer.RmsProp;
import io.psf.builtin.optimizer.RowAdaGrad;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.TiledOptimizer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A formula, as the kernels take it.
 *
 * @param name the middle of the kernels' names
 * @param rule the formula
 * @param arguments [5] float32, what the kernels' formula needs, then zeros
 * @param correction Adam's corrections by the steps of a row; null for other formulas
 * @param gradients what happens to the gradients before the formula; null for nothing
 */
record RuleKernel(
        String name,
        Kernel rule,
        float[] arguments,
        @Nullable Correction correction,
        @Nullable Gradients gradients) {
    /** The number of steps, from 0, whose corrections the kernels look up. */
    static final int KNOWN = 1 << 14;

    private static final int MOST_ARGUMENTS = 5;

    /**
     * Returns an optimizer at the rate of its arguments, before its first step, for the kernels.
     *
     * @throws PsException with {@code BAD_REQUEST} if they do not have it
     */
    static RuleKernel of(Optimizer optimizer) {
        RuleKernel kernel = optimizer instanceof TiledOptimizer tiled ? find(tiled.kernel(), 1) : null;
        if (kernel == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "optimizer " + optimizer
                            + ": has no kernel (expected on a device: one of psf other than allRowsAdam and ftrl with an"
                            + " initial accumulator, such as adam)");
        }
        return kernel;
    }

    /**
     * Returns the formula of a step for the kernels, at whatever rate.
     *
     * @param gradients what happens to the gradients before the formula; null for nothing
     * @param steps the number of steps of the tensor, the coming one included; 0 unless the formula needs it
     */
    static RuleKernel of(Kernel rule, @Nullable Gradients gradients, int steps) {
        RuleKernel kernel = find(rule, steps);
        if (kernel == null) {
            throw new IllegalStateException("formula " + rule + ": has no kernel (expected: one that was accepted)");
        }
        return new RuleKernel(kernel.name, rule, kernel.arguments, kernel.correction, gradients);
    }

    private static @Nullable RuleKernel find(Kernel rule, int steps) {
        if (rule instanceof Add add) {
            return plain("add", rule, add.scale());
        }
        if (rule instanceof Assign) {
            return plain("assign", rule);
        }
        if (rule instanceof Sgd sgd) {
            return plain("sgd", rule, sgd.lr());
        }
        if (rule instanceof Momentum momentum) {
            return plain("momentum", rule, momentum.lr(), momentum.m());
        }
        if (rule instanceof Nesterov nesterov) {
            return plain("nesterov", rule, nesterov.lr(), nesterov.m());
        }
        if (rule instanceof AdaGrad adaGrad) {
            return plain("adagrad", rule, adaGrad.lr(), adaGrad.a0(), adaGrad.eps());
        }
        if (rule instanceof RowAdaGrad byRow) {
            return plain("rowadagrad", rule, byRow.lr(), byRow.a0(), byRow.eps());
        }
        if (rule instanceof RmsProp rms) {
            return plain("rmsprop", rule, rms.lr(), rms.rho(), rms.eps());
        }
        if (rule instanceof AdaDelta delta) {
            return plain("adadelta", rule, delta.lr(), delta.rho(), delta.eps());
        }
        if (rule instanceof Ftrl ftrl && ftrl.n0() == 0) {
            return plain("ftrl", rule, 1 / ftrl.lr(), ftrl.beta(), ftrl.l1(), ftrl.l2());
        }
        return ofAdam(rule, steps);
    }

    private static @Nullable RuleKernel ofAdam(Kernel rule, int steps) {
        if (rule instanceof Adam adam) {
            return corrected("adam", rule, adam.correction(), adam.lr(), adam.b1(), adam.b2(), adam.eps());
        }
        if (rule instanceof AdamW w) {
            Correction correction = w.adam().correction();
            return corrected("adamw", rule, correction, w.lr(), w.b1(), w.b2(), w.eps(), w.kept());
        }
        if (rule instanceof Lamb lamb) {
            return lamb(rule, lamb, lamb.lr());
        }
        if (rule instanceof Lamb.Scaled scaled) {
            return lamb(rule, scaled.lamb(), scaled.rate());
        }
        if (rule instanceof LazyAdam lazy) {
            Correction correction = lazy.adam().correction();
            float rate = correction.rate(lazy.lr(), steps);
            return plain("lazyadam", rule, rate, lazy.b1(), lazy.b2(), lazy.eps(), correction.root(steps));
        }
        return null;
    }

    private static RuleKernel lamb(Kernel rule, Lamb lamb, float rate) {
        return corrected("lamb", rule, lamb.correction(), rate, lamb.b1(), lamb.b2(), lamb.eps(), lamb.decay());
    }

    private static RuleKernel plain(String name, Kernel rule, float... arguments) {
        return new RuleKernel(name, rule, Arrays.copyOf(arguments, MOST_ARGUMENTS), null, null);
    }

    private static RuleKernel corrected(String name, Kernel rule, Correction correction, float... arguments) {
        return new RuleKernel(name, rule, Arrays.copyOf(arguments, MOST_ARGUMENTS), correction, null);
    }

    /** True if the rule needs the number of steps of each row. */
    boolean countsSteps() {
        return rule.counting() == Kernel.Counting.ROWS;
    }

    /** True if a step adds the squares of a row's gradients to the row's state before. */
    boolean addsSquares() {
        return rule instanceof RowAdaGrad;
    }

    /** Returns the slot with one float for each row, the number of steps or the state; null if there is none. */
    @Nullable
    String ofRows() {
        return countsSteps()
                ? Kernel.STEPS
                : rule instanceof RowAdaGrad byRow ? byRow.rowState().get(0) : null;
    }

    /** Returns the names of the slots of the rule's state, at most two. */
    List<String> state() {
        return rule.state();
    }

    /**
     * Returns corrections for the device: [known, 2] float64, of the mean and of the root, by number of steps. They
     * do not depend on the learning rate.
     */
    static double[] corrections(Correction correction, int known) {
        double[] table = new double[2 * known];
        for (int steps = 0; steps < known; steps++) {
            table[2 * steps] = correction.ofMean(steps);
            table[2 * steps + 1] = correction.ofRoot(steps);
        }
        return table;
    }
}

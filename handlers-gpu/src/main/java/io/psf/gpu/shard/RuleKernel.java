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
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.LazyAdam;
import io.psf.builtin.optimizer.Momentum;
import io.psf.builtin.optimizer.Nesterov;
import io.psf.builtin.optimizer.RmsProp;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.TiledOptimizer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An optimizer, as the kernels take it.
 *
 * @param name the middle of the kernels' names
 * @param rule the rule
 * @param arguments [8] float32: six of the rule in the order of its record, zeros behind them, the limit of a gradient's
 *     elements and the weight decay
 * @param correction Adam's corrections by row; null for other rules
 */
record RuleKernel(
        String name,
        Kernel rule,
        float[] arguments,
        @Nullable Correction correction) {
    /** The number of steps, from 0, whose corrections the kernels look up. */
    static final int KNOWN = 1 << 14;

    /** The number of arguments of a rule. */
    private static final int ARGUMENTS = 6;

    /**
     * Returns an optimizer for the kernels, at its first step.
     *
     * @throws PsException with {@code BAD_REQUEST} if they do not have it
     */
    static RuleKernel of(Optimizer optimizer) {
        return of(tiled(optimizer), 1);
    }

    /**
     * Returns the optimizer whose formula the kernels may have.
     *
     * @throws PsException with {@code BAD_REQUEST} if it is no formula
     */
    static TiledOptimizer tiled(Optimizer optimizer) {
        if (optimizer instanceof TiledOptimizer tiled && !tiled.needsSums()) {
            return tiled;
        }
        throw none(optimizer);
    }

    private static RuleKernel of(TiledOptimizer tiled, int steps) {
        return of(tiled, new TiledOptimizer.Formula(tiled.kernel(), steps));
    }

    /** Returns the kernels' form of a step. */
    static RuleKernel of(TiledOptimizer tiled, TiledOptimizer.Formula now) {
        RuleKernel rule = of(tiled, now.kernel(), now.steps());
        rule.arguments[ARGUMENTS] = tiled.options().clipValue();
        rule.arguments[ARGUMENTS + 1] = tiled.options().weightDecay();
        return rule;
    }

    private static RuleKernel of(TiledOptimizer optimizer, Kernel rule, int steps) {
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
        if (rule instanceof RmsProp rmsProp) {
            return plain("rmsprop", rule, rmsProp.lr(), rmsProp.rho(), rmsProp.eps());
        }
        if (rule instanceof AdaDelta adaDelta) {
            return plain("adadelta", rule, adaDelta.lr(), adaDelta.rho(), adaDelta.eps());
        }
        if (rule instanceof Ftrl ftrl) {
            return plain("ftrl", rule, ftrl.lr(), ftrl.beta(), ftrl.l1(), ftrl.l2());
        }
        return ofAdam(optimizer, rule, steps);
    }

    private static RuleKernel ofAdam(TiledOptimizer optimizer, Kernel rule, int steps) {
        if (rule instanceof Adam adam) {
            return corrected("adam", rule, adam, 0);
        }
        if (rule instanceof AdamW adamW) {
            return corrected("adamw", rule, adamW.adam(), adamW.kept());
        }
        if (rule instanceof LazyAdam lazy) {
            Adam adam = lazy.adam();
            Correction known = adam.correction();
            float rate = known.rate(adam.lr(), steps);
            return plain("lazyadam", rule, adam.lr(), adam.b1(), adam.b2(), adam.eps(), rate, known.root(steps));
        }
        throw none(optimizer);
    }

    private static PsException none(Optimizer optimizer) {
        return new PsException(
                PsException.Code.BAD_REQUEST,
                "optimizer " + optimizer
                        + ": has no kernel (expected on a device: add, assign, sgd, momentum, nesterov, adagrad,"
                        + " rmsprop, adadelta, ftrl, adam, adamw or lazyAdam of psf, without clipNorm)");
    }

    /** True if the rule needs the number of steps of each row. */
    boolean countsSteps() {
        return rule.counting() == Kernel.Counting.ROWS;
    }

    private static RuleKernel plain(String name, Kernel rule, float... arguments) {
        float[] all = new float[ARGUMENTS + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        return new RuleKernel(name, rule, all, null);
    }

    private static RuleKernel corrected(String name, Kernel rule, Adam adam, float kept) {
        float[] all = plain(name, rule, adam.lr(), adam.b1(), adam.b2(), adam.eps(), kept)
                .arguments();
        return new RuleKernel(name, rule, all, adam.correction());
    }

    /** Returns the names of the slots of the rule's state, at most two. */
    List<String> state() {
        return rule.state();
    }

    /** Returns the corrections for the device: [KNOWN, 2] float64, the factor of the rate and the root by number of steps. */
    double[] corrections() {
        Correction known = correction;
        if (known == null) {
            return new double[0];
        }
        double[] table = new double[2 * KNOWN];
        for (int steps = 0; steps < KNOWN; steps++) {
            table[2 * steps] = known.mean(steps);
            table[2 * steps + 1] = known.exactRoot(steps);
        }
        return table;
    }
}

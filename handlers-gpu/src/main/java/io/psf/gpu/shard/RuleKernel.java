package io.psf.gpu.shard;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.builtin.optimizer.AdaGrad;
import io.psf.builtin.optimizer.Adam;
import io.psf.builtin.optimizer.Add;
import io.psf.builtin.optimizer.Assign;
import io.psf.builtin.optimizer.Correction;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.Momentum;
import io.psf.builtin.optimizer.Nesterov;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.TiledOptimizer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An optimizer, as the kernels take it.
 *
 * @param name the middle of the kernels' names
 * @param rule the rule
 * @param arguments [4] float32, the rule's arguments in the order of its record, then zeros
 * @param correction Adam's corrections; null for other rules
 */
record RuleKernel(
        String name,
        Kernel rule,
        float[] arguments,
        @Nullable Correction correction) {
    /** The number of steps, from 0, whose corrections the kernels look up. */
    static final int KNOWN = 1 << 14;

    /**
     * Returns an optimizer for the kernels.
     *
     * @throws PsException with {@code BAD_REQUEST} if they do not have it
     */
    static RuleKernel of(Optimizer optimizer) {
        if (!(optimizer instanceof TiledOptimizer tiled) || !tiled.isPlain()) {
            throw none(optimizer);
        }
        Kernel rule = tiled.kernel();
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
        if (rule instanceof Adam adam) {
            float[] arguments = {adam.lr(), adam.b1(), adam.b2(), adam.eps()};
            return new RuleKernel("adam", rule, arguments, adam.correction());
        }
        throw none(optimizer);
    }

    private static PsException none(Optimizer optimizer) {
        return new PsException(
                PsException.Code.BAD_REQUEST,
                "optimizer " + optimizer
                        + ": has no kernel (expected on a device: add, assign, sgd, momentum, nesterov,"
                        + " adagrad or adam of psf, without options)");
    }

    /** True if the rule needs the number of steps of each row. */
    boolean countsSteps() {
        return rule.counting() == Kernel.Counting.ROWS;
    }

    private static RuleKernel plain(String name, Kernel rule, float... arguments) {
        float[] four = new float[4];
        System.arraycopy(arguments, 0, four, 0, arguments.length);
        return new RuleKernel(name, rule, four, null);
    }

    /** Returns the names of the slots of the rule's state, at most two. */
    List<String> state() {
        return rule.state();
    }

    /** Returns the corrections for the device: [KNOWN, 2] float32, rate and root by number of steps. */
    float[] corrections() {
        Correction known = correction;
        if (known == null) {
            return new float[0];
        }
        float[] table = new float[2 * KNOWN];
        for (int steps = 0; steps < KNOWN; steps++) {
            table[2 * steps] = known.rate(arguments[0], steps);
            table[2 * steps + 1] = known.root(steps);
        }
        return table;
    }
}

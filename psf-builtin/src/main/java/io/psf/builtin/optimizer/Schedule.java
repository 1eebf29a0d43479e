package io.psf.builtin.optimizer;

import java.io.Serializable;
import java.util.Locale;

/**
 * How the learning rate changes with the steps of a tensor: the factor that the optimizer's rate is multiplied by. A
 * step is a push of an asynchronous tensor, or a round of a synchronous one. Its number is saved with the tensor.
 *
 * @param kind the shape of the curve
 * @param steps the number of steps of a stage, or of the whole curve; 0 for a constant
 * @param factor the factor of each stage, or at the end of the curve; 1 for a constant
 * @param warmUp the number of first steps in which the factor rises linearly from 0 to 1
 */
public record Schedule(Kind kind, long steps, double factor, long warmUp) implements Serializable {
    /** The shape of the curve after the warm-up. */
    public enum Kind {
        /** 1. */
        CONSTANT,
        /** factor^(t / steps), rounded down: a lower stage every {@code steps} steps. */
        STEP,
        /** From 1 to {@code factor} on a straight line within {@code steps} steps. */
        LINEAR,
        /** From 1 to {@code factor} on half a cosine within {@code steps} steps. */
        COSINE;

        /** Returns the name in lower case, as in options. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Checks the arguments. Throws {@link IllegalArgumentException} if one is out of range. */
    public Schedule {
        OptimizerChecks.require(warmUp >= 0, "warmUp", warmUp, ">= 0 steps");
        if (kind != Kind.CONSTANT) {
            OptimizerChecks.require(steps > 0, "steps", steps, ">= 1");
            OptimizerChecks.require(factor >= 0 && Double.isFinite(factor), "factor", factor, ">= 0");
        }
    }

    /** The rate of the optimizer, at every step. */
    public static Schedule constant() {
        return new Schedule(Kind.CONSTANT, 0, 1, 0);
    }

    /** Multiplies the rate by {@code factor} after every {@code steps} steps. */
    public static Schedule step(long steps, double factor) {
        return new Schedule(Kind.STEP, steps, factor, 0);
    }

    /** Lowers the rate within {@code steps} steps to {@code factor} of it, on a straight line; then it stays there. */
    public static Schedule linear(long steps, double factor) {
        return new Schedule(Kind.LINEAR, steps, factor, 0);
    }

    /**
     * Lowers the rate within {@code steps} steps to {@code factor} of it, on half a cosine; then it stays there.
     * Loshchilov and Hutter (ICLR 2017, equation 5), without restarts.
     */
    public static Schedule cosine(long steps, double factor) {
        return new Schedule(Kind.COSINE, steps, factor, 0);
    }

    /** Returns a copy that begins with {@code steps} steps in which the rate rises linearly; the curve follows. */
    public Schedule warmUp(long steps) {
        return new Schedule(kind, this.steps, factor, steps);
    }

    /**
     * Returns the factor of a step.
     *
     * @param step the number of the step, from 1
     */
    public double factor(long step) {
        if (step <= warmUp) {
            return (double) step / warmUp;
        }
        long t = step - warmUp - 1; // 0 at the first step of the curve
        long stages = kind == Kind.STEP ? t / steps : 0;
        double done = kind == Kind.CONSTANT ? 0 : Math.min(1, (double) t / steps);
        return switch (kind) {
            case CONSTANT -> 1;
            case STEP -> Math.pow(factor, (double) stages);
            case LINEAR -> 1 + (factor - 1) * done;
            case COSINE -> factor + (1 - factor) * (1 + Math.cos(Math.PI * done)) / 2;
        };
    }

    /** Returns the factor of the first step and the one of a later stage, or of the end of the curve. */
    double[] bounds() {
        return new double[] {factor(1), kind == Kind.CONSTANT ? 1 : factor};
    }

    /** True if the factor is 1 at every step. */
    public boolean isConstant() {
        return kind == Kind.CONSTANT && warmUp == 0;
    }
}

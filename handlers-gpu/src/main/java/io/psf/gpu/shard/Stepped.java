package io.psf.gpu.shard;

import io.psf.builtin.optimizer.Gradients;
import org.jspecify.annotations.Nullable;

/**
 * The arrays that a step of an optimizer reads and writes.
 *
 * @param of the values
 * @param first the rule's first state, or 0
 * @param second the rule's second state, or 0
 * @param ofRows the number of steps of each row, or the rule's state with one float for each row, or 0
 * @param stepsOfAll the number of steps of all rows with this one, where {@code ofRows} is 0; 1 if the steps in {@code
 *     ofRows} are without this one
 * @param corrections the corrections of a rule that counts the steps of rows
 * @param rule the rule
 */
record Stepped(
        Rows of, long first, long second, long ofRows, float stepsOfAll, Corrections corrections, RuleKernel rule) {
    /** Returns the address of the values. */
    long w() {
        return of.address();
    }

    int width() {
        return of.width();
    }

    /** Returns the number of steps of each row, or 0. */
    long steps() {
        return rule.countsSteps() ? ofRows : 0;
    }

    /** Returns the step of rows by key whose steps are counted after it. */
    Stepped countedLater() {
        return new Stepped(of, first, second, ofRows, 1, corrections, rule);
    }

    LaunchArguments arrays(LaunchArguments arguments, long update) {
        return arguments
                .pointer(w())
                .pointer(update)
                .pointer(first)
                .pointer(second)
                .pointer(ofRows);
    }

    LaunchArguments rule(LaunchArguments arguments) {
        for (float each : rule.arguments()) {
            arguments.f32(each);
        }
        arguments.pointer(corrections.table()).i32(corrections.known());
        Gradients gradients = rule.gradients();
        if (gradients == null) {
            return arguments
                    .i32(0)
                    .f32(Float.POSITIVE_INFINITY)
                    .f32(1)
                    .f32(0)
                    .f32(stepsOfAll)
                    .i32(of.storage());
        }
        return arguments
                .i32(1)
                .f32(clip(gradients))
                .f32(gradients.scale())
                .f32(gradients.weightDecay())
                .f32(stepsOfAll)
                .i32(of.storage());
    }

    /** Returns the limit of the elements of a gradient, infinity for none. */
    static float clip(@Nullable Gradients gradients) {
        return gradients != null && gradients.clipValue() > 0 ? gradients.clipValue() : Float.POSITIVE_INFINITY;
    }
}

package io.psf.builtin;

import io.psf.api.Optimizer;
import io.psf.builtin.optimizer.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * The optimizer of a tensor: the rule by which a push changes the values. Created by {@link Optimizers}.
 *
 * @param rule the kind of optimizer
 * @param arguments the rule's arguments, in the order of {@link Rule#arguments}
 */
public record OptimizerSpec(Rule rule, List<Float> arguments) {
    /** Checks the arguments. Throws {@link IllegalArgumentException} if an argument is missing or out of range. */
    public OptimizerSpec {
        arguments = List.copyOf(arguments);
        var unused = rule.create(floats(arguments));
    }

    static OptimizerSpec of(Rule rule, double... arguments) {
        List<Float> list = new ArrayList<>();
        for (double argument : arguments) {
            list.add((float) argument);
        }
        return new OptimizerSpec(rule, list);
    }

    /** Creates the optimizer. */
    public Optimizer create() {
        return rule.create(values());
    }

    /** Returns a copy of the arguments. */
    float[] values() {
        return floats(arguments);
    }

    private static float[] floats(List<Float> arguments) {
        float[] values = new float[arguments.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments.get(i);
        }
        return values;
    }

    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", rule + "(", ")");
        for (int i = 0; i < arguments.size(); i++) {
            text.add(rule.arguments().get(i) + "=" + arguments.get(i));
        }
        return text.toString();
    }
}

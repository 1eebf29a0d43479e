package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;
import java.util.List;

/** The kinds of optimizers and the names of their arguments. The ordinal is the number on the wire: append only. */
@SuppressWarnings("ImmutableEnumChecker") // a list of List.of and stateless lambdas
public enum Rule {
    /** w += scale g. */
    ADD(a -> new Add(a[0]), "scale"),
    /** w = g. */
    ASSIGN(a -> new Assign()),
    /** w -= lr g. */
    SGD(a -> new Sgd(a[0]), "lr"),
    /** v = m v - lr g; w += v. */
    MOMENTUM(a -> new Momentum(a[0], a[1]), "lr", "m"),
    /** t = -lr g; v = m (v + t); w += v + t. */
    NESTEROV(a -> new Nesterov(a[0], a[1]), "lr", "m"),
    /** a += g^2; w -= lr g / (sqrt a + eps), with the initial value a = a0. */
    ADA_GRAD(a -> new AdaGrad(a[0], a[1], a[2]), "lr", "a0", "eps"),
    /**
     * m and v are decaying means of g and g^2, bias-corrected by the row's step count; w -= lr m' / (sqrt v' + eps).
     */
    ADAM(a -> new Adam(a[0], a[1], a[2], a[3]), "lr", "b1", "b2", "eps");

    private final Formula formula;
    private final List<String> arguments;

    Rule(Formula formula, String... arguments) {
        this.formula = formula;
        this.arguments = List.of(arguments);
    }

    /** Returns the names of the rule's arguments, in order. */
    public List<String> arguments() {
        return arguments;
    }

    /**
     * Creates the optimizer of this rule.
     *
     * @param values the arguments, in the order of {@link #arguments}
     * @throws IllegalArgumentException if the number of arguments is wrong or an argument is out of range
     */
    public Optimizer create(float... values) {
        return new TiledOptimizer(kernel(values));
    }

    /** Creates the kernel of this rule. Arguments and errors are those of {@link #create}. */
    public Kernel kernel(float... values) {
        Checks.require(
                values.length == arguments.size(),
                "arguments of " + this,
                values.length,
                arguments.size() + " = " + arguments);
        return formula.of(values);
    }

    /** Creates a kernel from its arguments. */
    @FunctionalInterface
    private interface Formula {
        Kernel of(float[] arguments);
    }
}

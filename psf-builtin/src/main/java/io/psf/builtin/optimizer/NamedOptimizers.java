package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;
import io.psf.builtin.internal.named.NamedClasses;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Creates the optimizers that specs name. */
public final class NamedOptimizers {
    private static final String LR = "lr";

    private NamedOptimizers() {}

    /**
     * Creates an optimizer.
     *
     * @param classes the optimizers of a class path
     * @param name the optimizer's name
     * @param arguments the arguments by name, as texts
     * @param options what it does besides its formula, as texts
     * @throws IllegalArgumentException if the class path does not have the optimizer, or an argument or an option is
     *     invalid
     */
    public static Optimizer create(
            NamedClasses classes, String name, Map<String, String> arguments, Map<String, String> options) {
        Object made = classes.create(Object.class, name, arguments);
        if (made instanceof Kernel kernel) {
            Function<Float, Kernel> create = rate -> {
                Map<String, String> changed = new HashMap<>(arguments);
                changed.put(LR, String.valueOf(rate));
                return classes.create(Kernel.class, name, changed);
            };
            return new TiledOptimizer(name, kernel, Options.of(options), rate(kernel, arguments, create));
        }
        OptimizerChecks.require(options.isEmpty(), "options of " + name, options, "none, since it is no formula");
        return (Optimizer) made;
    }

    private static @Nullable Rate rate(Kernel kernel, Map<String, String> arguments, Function<Float, Kernel> create) {
        String lr = arguments.get(LR);
        return lr == null ? null : new Rate(Float.parseFloat(lr), kernel, create);
    }
}

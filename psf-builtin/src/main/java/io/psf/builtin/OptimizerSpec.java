package io.psf.builtin;

import io.psf.api.Optimizer;
import io.psf.api.PsOptimizer;
import io.psf.api.spi.ServiceClassPath;
import io.psf.builtin.internal.named.NamedClasses;
import io.psf.builtin.optimizer.GlobalNorm;
import io.psf.builtin.optimizer.NamedOptimizers;
import io.psf.builtin.optimizer.Options;
import io.psf.builtin.optimizer.Schedule;
import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The optimizer of a tensor: the rule by which a push changes the values. Created by {@link Optimizers}; the methods of
 * this class return copies with options. Immutable.
 */
public final class OptimizerSpec implements Serializable {
    private static final long serialVersionUID = 1;

    private final String name;

    @SuppressWarnings("serial") // a TreeMap that is unmodifiable
    private final Map<String, String> arguments;

    @SuppressWarnings("serial")
    private final Map<String, String> options;

    private OptimizerSpec(String name, Map<String, String> arguments, Map<String, String> options) {
        this.name = name;
        this.arguments = Collections.unmodifiableMap(new TreeMap<>(arguments));
        this.options = Options.of(options).texts();
        NamedClasses here = here();
        if (here.find(name).isPresent()) {
            var unused = NamedOptimizers.create(here, name, arguments, options);
        }
    }

    /** Replaces what was read by a spec that has been checked. */
    private Object readResolve() {
        return new OptimizerSpec(name, arguments, options);
    }

    /** Checks the arguments, if the optimizer is on the class path here. */
    static OptimizerSpec of(String name, Map<String, String> arguments) {
        return new OptimizerSpec(name, arguments, Map.of());
    }

    /** Returns the optimizer's name, by which servers find it on their class path. */
    public String name() {
        return name;
    }

    /** Returns the arguments by name, as texts. */
    public Map<String, String> arguments() {
        return arguments;
    }

    /** Returns the options, which are applied besides the formula, by name, as texts. */
    public Map<String, String> options() {
        return options;
    }

    private static NamedClasses here() {
        return NamedClasses.on(ServiceClassPath.of(OptimizerSpec.class), PsOptimizer.class);
    }

    /** Creates the optimizer, which must be on the class path here. */
    public Optimizer create() {
        return NamedOptimizers.create(here(), name, arguments, options);
    }

    private OptimizerSpec with(Options options) {
        return new OptimizerSpec(name, arguments, options.texts());
    }

    /**
     * Returns a copy that limits each element of a gradient to [-limit, limit].
     *
     * @param limit above 0; 0 for no limit
     */
    public OptimizerSpec clipValue(double limit) {
        return with(Options.of(options).withClipValue((float) limit));
    }

    /**
     * Returns a copy that scales a gradient of a greater norm down to the limit. The norm is the Euclidean norm over
     * all slices of the tensor: of a push, or on a synchronous tensor of the sum or mean of a round. In a push of some
     * rows it is over these rows. The servers exchange the parts of the norm, so a push takes one round trip more. If
     * the norm is not finite, the push fails with {@code BAD_REQUEST}, or all pushes of the round, and the values do
     * not change ({@link #skipNonFinite}). A function
     * that calls the optimizer itself is refused unless the tensor has one slice.
     *
     * @param limit above 0; 0 for no limit
     */
    public OptimizerSpec clipNorm(double limit) {
        return with(Options.of(options).withClipNorm((float) limit));
    }

    /** Returns a copy that scales the gradients of several tensors down if their common norm is above a limit. */
    OptimizerSpec clipGlobalNorm(double limit, GlobalNorm tensors) {
        return with(Options.of(options).withGlobalNorm((float) limit, tensors));
    }

    /**
     * Returns a copy with weight decay as L2 regularization: g += decay w, after the gradient was clipped. For the
     * decay of AdamW see {@link Optimizers#adamW}.
     *
     * @param decay at least 0
     */
    public OptimizerSpec weightDecay(double decay) {
        return with(Options.of(options).withWeightDecay((float) decay));
    }

    /**
     * Returns a copy that leaves out a push with an element that is not finite: NaN or infinite, on any slice of the
     * tensor. The push is answered, and counted by its worker ({@link Rounds#skipped}); it makes no step. In a round,
     * the others' pushes are applied without it, and {@link Updates#MEAN} divides by their number. The servers exchange
     * the result of the check, so a push takes one round trip more. A function that calls the optimizer itself is
     * refused unless the tensor has one slice, and is not checked.
     */
    public OptimizerSpec skipNonFinite() {
        return with(Options.of(options).withSkipNonFinite(true));
    }

    /**
     * Returns a copy whose learning rate follows a schedule. The number of steps that it depends on is saved with the
     * tensor.
     */
    public OptimizerSpec schedule(Schedule schedule) {
        return with(Options.of(options).withSchedule(schedule));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OptimizerSpec spec
                && name.equals(spec.name)
                && arguments.equals(spec.arguments)
                && options.equals(spec.options);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, arguments, options);
    }

    /** Returns the name with the arguments and the options, such as {@code psf.sgd(lr=0.1, clipNorm=1.0)}. */
    @Override
    public String toString() {
        return NamedClasses.text(name, arguments, options);
    }
}

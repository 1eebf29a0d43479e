package io.psf.builtin;

import io.psf.api.PsOptimizer;
import io.psf.builtin.internal.named.Texts;
import java.util.HashMap;
import java.util.Map;

/**
 * Factory methods for optimizers. An optimizer runs on the servers and defines how a push changes a tensor. In the
 * formulas, g is the pushed update and w the values. A push of some rows changes only those rows and their optimizer
 * state, except with {@link #allRowsAdam(double)}. Each method throws {@link IllegalArgumentException} if an argument
 * is out of range.
 *
 * <p>{@link #of(Record)} and {@link #of(String, Map)} select a user's own.
 */
public final class Optimizers {
    private Optimizers() {}

    /**
     * Returns a user's own optimizer, or one of psf, by its name. Its class need not be on the class path here.
     *
     * @param name the name in its {@link PsOptimizer}, such as {@code acme.lion}
     * @param arguments the arguments of its constructor by name: numbers, booleans or texts
     */
    public static OptimizerSpec of(String name, Map<String, ?> arguments) {
        return OptimizerSpec.of(name, Texts.of(arguments));
    }

    /**
     * Returns a user's own optimizer. The servers create an equal one.
     *
     * @param optimizer a public record with {@link PsOptimizer}
     * @throws IllegalArgumentException if it is none
     */
    public static OptimizerSpec of(Record optimizer) {
        String name = Texts.annotation(optimizer, PsOptimizer.class).value();
        return OptimizerSpec.of(name, Texts.arguments(optimizer, PsOptimizer.class, name));
    }

    /** w += g. */
    public static OptimizerSpec add() {
        return add(1);
    }

    /** w += scale g. */
    public static OptimizerSpec add(double scale) {
        return psf("add", Map.of("scale", scale));
    }

    /** w = g. */
    public static OptimizerSpec assign() {
        return psf("assign", Map.of());
    }

    /** Gradient descent: w -= lr g. */
    public static OptimizerSpec sgd(double lr) {
        return psf("sgd", Map.of("lr", lr));
    }

    /** Gradient descent with momentum, 0 &lt;= m &lt; 1: v = m v - lr g; w += v. */
    public static OptimizerSpec momentum(double lr, double m) {
        return psf("momentum", Map.of("lr", lr, "m", m));
    }

    /** Gradient descent with Nesterov's momentum, 0 &lt;= m &lt; 1: t = -lr g; v = m (v + t); w += v + t. */
    public static OptimizerSpec nesterov(double lr, double m) {
        return psf("nesterov", Map.of("lr", lr, "m", m));
    }

    /** AdaGrad with an initial accumulator of 0 and eps = 1e-7. */
    public static OptimizerSpec adaGrad(double lr) {
        return adaGrad(lr, 0, 1e-7);
    }

    /** AdaGrad: a += g^2; w -= lr g / (sqrt a + eps). The initial accumulator is a = a0 &gt;= 0. */
    public static OptimizerSpec adaGrad(double lr, double a0, double eps) {
        return psf("adagrad", Map.of("lr", lr, "a0", a0, "eps", eps));
    }

    /** AdaGrad by row with an initial accumulator of 0 and eps = 1e-7. */
    public static OptimizerSpec rowAdaGrad(double lr) {
        return rowAdaGrad(lr, 0, 1e-7);
    }

    /**
     * AdaGrad by row, for embedding tables: a += the mean of the row's g^2; w -= lr g / (sqrt a + eps). The state is
     * one float per row.
     */
    public static OptimizerSpec rowAdaGrad(double lr, double a0, double eps) {
        return psf("row-adagrad", Map.of("lr", lr, "a0", a0, "eps", eps));
    }

    /** RMSProp with rho = 0.9 and eps = 1e-7. */
    public static OptimizerSpec rmsProp(double lr) {
        return rmsProp(lr, 0.9, 1e-7);
    }

    /** RMSProp: a = rho a + (1 - rho) g^2; w -= lr g / (sqrt a + eps). */
    public static OptimizerSpec rmsProp(double lr, double rho, double eps) {
        return psf("rmsprop", Map.of("lr", lr, "rho", rho, "eps", eps));
    }

    /** AdaDelta with lr = 1, rho = 0.95 and eps = 1e-6, as in its author's experiments. */
    public static OptimizerSpec adaDelta() {
        return adaDelta(1, 0.95, 1e-6);
    }

    /**
     * AdaDelta: a = rho a + (1 - rho) g^2; d = sqrt((x + eps) / (a + eps)) g; x = rho x + (1 - rho) d^2; w -= lr d.
     */
    public static OptimizerSpec adaDelta(double lr, double rho, double eps) {
        return psf("adadelta", Map.of("lr", lr, "rho", rho, "eps", eps));
    }

    /** Adam with b1 = 0.9, b2 = 0.999 and eps = 1e-8, as its authors recommend. */
    public static OptimizerSpec adam(double lr) {
        return adam(lr, 0.9, 0.999, 1e-8);
    }

    /** Adam. The bias correction uses each row's own number of steps. */
    public static OptimizerSpec adam(double lr, double b1, double b2, double eps) {
        return psf("adam", adamArguments(lr, b1, b2, eps));
    }

    /** Lazy Adam with b1 = 0.9, b2 = 0.999 and eps = 1e-8. */
    public static OptimizerSpec lazyAdam(double lr) {
        return lazyAdam(lr, 0.9, 0.999, 1e-8);
    }

    /** Lazy Adam: Adam whose bias correction uses the number of steps of the tensor. */
    public static OptimizerSpec lazyAdam(double lr, double b1, double b2, double eps) {
        return psf("lazy-adam", adamArguments(lr, b1, b2, eps));
    }

    /** The name of {@link #allRowsAdam(double)}. */
    static final String ALL_ROWS_ADAM = "psf.all-rows-adam";

    /** Adam over all rows with b1 = 0.9, b2 = 0.999 and eps = 1e-8. */
    public static OptimizerSpec allRowsAdam(double lr) {
        return allRowsAdam(lr, 0.9, 0.999, 1e-8);
    }

    /**
     * Adam in which a push of some rows steps every row of the tensor, as a dense push with zeros elsewhere: the
     * moments of all rows decay, and all weights change, as in MindSpore's {@code nn.Adam} with {@code use_lazy=False}
     * and in TensorFlow's {@code AdamOptimizer}. Their eps is this one times sqrt(1 - b2^t). A push takes time
     * for the whole table; a growing table steps the rows that it has. An {@link EmbeddingCache} refuses it,
     * since it would not notice the steps of rows that no cache has pushed.
     */
    public static OptimizerSpec allRowsAdam(double lr, double b1, double b2, double eps) {
        return psf("all-rows-adam", adamArguments(lr, b1, b2, eps));
    }

    /** AdamW with b1 = 0.9, b2 = 0.999, eps = 1e-8 and a weight decay of 0.01. */
    public static OptimizerSpec adamW(double lr) {
        return adamW(lr, 0.9, 0.999, 1e-8, 0.01);
    }

    /** AdamW: w -= lr decay w, then Adam. */
    public static OptimizerSpec adamW(double lr, double b1, double b2, double eps, double decay) {
        return psf("adamw", adamArguments(lr, b1, b2, eps, decay));
    }

    /** LAMB with b1 = 0.9, b2 = 0.999, eps = 1e-6 and a weight decay of 0.01. */
    public static OptimizerSpec lamb(double lr) {
        return lamb(lr, 0.9, 0.999, 1e-6, 0.01);
    }

    /**
     * LAMB, for large batches: r = Adam's step + decay w; w -= lr (|w| / |r|) r. The norms are over all slices of the
     * tensor, as for {@link OptimizerSpec#clipNorm}.
     */
    public static OptimizerSpec lamb(double lr, double b1, double b2, double eps, double decay) {
        return psf("lamb", adamArguments(lr, b1, b2, eps, decay));
    }

    /** FTRL-proximal with beta = 1. */
    public static OptimizerSpec ftrl(double lr, double l1, double l2) {
        return ftrl(lr, 1, l1, l2);
    }

    /**
     * FTRL-proximal, for sparse linear models: s = (sqrt(n + g^2) - sqrt n) / lr; z += g - s w; n += g^2; w = 0 if |z|
     * &lt;= l1, otherwise -(z - sign(z) l1) / ((beta + sqrt n) / lr + l2). The tensor's initial values are to be 0.
     */
    public static OptimizerSpec ftrl(double lr, double beta, double l1, double l2) {
        return ftrl(lr, beta, l1, l2, 0);
    }

    /**
     * FTRL-proximal as {@link #ftrl(double, double, double, double)}, whose n begins at an initial accumulator n0 &gt;=
     * 0. TensorFlow's and MindSpore's FTRL is {@code ftrl(lr, 0, l1, 2 * l2, initial_accum)} with their default power
     * of -0.5: they double l2.
     */
    public static OptimizerSpec ftrl(double lr, double beta, double l1, double l2, double n0) {
        return psf("ftrl", Map.of("lr", lr, "beta", beta, "l1", l1, "l2", l2, "n0", n0));
    }

    private static Map<String, Double> adamArguments(double lr, double b1, double b2, double eps) {
        return Map.of("lr", lr, "b1", b1, "b2", b2, "eps", eps);
    }

    private static Map<String, Double> adamArguments(double lr, double b1, double b2, double eps, double decay) {
        return Map.of("lr", lr, "b1", b1, "b2", b2, "eps", eps, "decay", decay);
    }

    private static OptimizerSpec psf(String name, Map<String, Double> arguments) {
        Map<String, Float> floats = new HashMap<>();
        arguments.forEach((argument, value) -> floats.put(argument, value.floatValue()));
        return of("psf." + name, floats);
    }
}

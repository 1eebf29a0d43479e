package io.psf.builtin;

import io.psf.api.PsInitializer;
import io.psf.api.array.FloatArray;
import io.psf.builtin.internal.named.Texts;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Factory methods for the initial values of a tensor. Each method throws {@link IllegalArgumentException} if an
 * argument is out of range.
 *
 * <p>The variants for layers scale with the layer: {@code fanIn} is the number of inputs of one output, {@code fanOut}
 * the number of outputs that one input reaches. Of a fully connected layer from n to m, they are n and m; of a
 * convolution with k x k kernels from c to d channels, c k k and d k k.
 */
public final class Initializers {
    private Initializers() {}

    /**
     * Returns a user's own initializer, or one of psf, by its name. Its class need not be on the class path here.
     *
     * @param name the name in its {@link PsInitializer}, such as {@code acme.identity}
     * @param arguments the arguments of its constructor by name: numbers, booleans or texts
     */
    public static Initializer of(String name, Map<String, ?> arguments) {
        return new Initializer(name, Texts.of(arguments), null);
    }

    /**
     * Returns a user's own initializer. The servers create an equal one.
     *
     * @param initializer a public record with {@link PsInitializer}
     */
    public static Initializer of(Record initializer) {
        String name = Texts.annotation(initializer, PsInitializer.class).value();
        return new Initializer(name, Texts.arguments(initializer, PsInitializer.class, name), null);
    }

    /**
     * Sets the values to the elements of an array. {@link Tensors#init} pushes the array; a tensor that exists is not
     * changed. Workers that initialize the tensor with other values get an error. The tensor must not grow.
     *
     * @param values [rows, width] float32; borrowed until {@code init} returns
     */
    public static Initializer of(float[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES << 10);
        CRC32C checksum = new CRC32C();
        for (int at = 0; at < values.length; at += 1 << 10) {
            int n = Math.min(1 << 10, values.length - at);
            bytes.clear().asFloatBuffer().put(values, at, n);
            checksum.update(bytes.limit(n * Float.BYTES));
        }
        Map<String, Object> arguments = Map.of("length", values.length, "crc32c", checksum.getValue());
        return new Initializer("psf.values", Texts.of(arguments), FloatArray.wrap(values));
    }

    /** Sets every element to {@code value}. */
    public static Initializer constant(double value) {
        return of("psf.constant", Map.of("value", value));
    }

    /**
     * Draws from the uniform distribution over [a, b).
     *
     * @throws IllegalArgumentException unless a &lt; b and both are finite
     */
    public static Initializer uniform(double a, double b, long seed) {
        return of("psf.uniform", Map.of("a", a, "b", b, "seed", seed));
    }

    /**
     * Draws from the normal distribution.
     *
     * @throws IllegalArgumentException unless {@code stddev > 0} and both are finite
     */
    public static Initializer normal(double mean, double stddev, long seed) {
        return of("psf.normal", Map.of("mean", mean, "stddev", stddev, "seed", seed));
    }

    /**
     * Draws from the normal distribution. A value that is farther than two standard deviations from the mean is drawn
     * again.
     *
     * @throws IllegalArgumentException unless {@code stddev > 0} and both are finite
     */
    public static Initializer truncatedNormal(double mean, double stddev, long seed) {
        return of("psf.truncated-normal", Map.of("mean", mean, "stddev", stddev, "seed", seed));
    }

    /** Xavier's uniform values: limit sqrt(6 / (fanIn + fanOut)) (Glorot and Bengio, AISTATS 2010, equation 16). */
    public static Initializer xavierUniform(long fanIn, long fanOut, long seed) {
        return within(Math.sqrt(6.0 / fans(fanIn, fanOut)), seed);
    }

    /** Xavier's normal values: standard deviation sqrt(2 / (fanIn + fanOut)). */
    public static Initializer xavierNormal(long fanIn, long fanOut, long seed) {
        return normal(0, Math.sqrt(2.0 / fans(fanIn, fanOut)), seed);
    }

    /** He's uniform values, for ReLU: limit sqrt(6 / fanIn). */
    public static Initializer heUniform(long fanIn, long seed) {
        return within(Math.sqrt(6.0 / fan("fanIn", fanIn)), seed);
    }

    /** He's normal values, for ReLU: standard deviation sqrt(2 / fanIn) (He et al., ICCV 2015, equation 10). */
    public static Initializer heNormal(long fanIn, long seed) {
        return normal(0, Math.sqrt(2.0 / fan("fanIn", fanIn)), seed);
    }

    /** LeCun's uniform values: limit sqrt(3 / fanIn). */
    public static Initializer leCunUniform(long fanIn, long seed) {
        return within(Math.sqrt(3.0 / fan("fanIn", fanIn)), seed);
    }

    /** LeCun's normal values: standard deviation sqrt(1 / fanIn) (LeCun et al., Efficient BackProp, 1998, 4.6). */
    public static Initializer leCunNormal(long fanIn, long seed) {
        return normal(0, Math.sqrt(1.0 / fan("fanIn", fanIn)), seed);
    }

    private static Initializer within(double limit, long seed) {
        return uniform(-limit, limit, seed);
    }

    private static double fans(long fanIn, long fanOut) {
        return fan("fanIn", fanIn) + fan("fanOut", fanOut);
    }

    private static double fan(String name, long n) {
        if (n < 1) {
            throw new IllegalArgumentException(name + ": " + n + " (expected: >= 1)");
        }
        return n;
    }
}

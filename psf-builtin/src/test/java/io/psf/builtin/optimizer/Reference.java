package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.psf.builtin.OptimizerSpec;
import io.psf.testkit.TestShard;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;

/** The published formulas, one element at a time in float64, in one array for the whole tensor. */
final class Reference {
    private final String name;
    private final Map<String, Double> arg;
    private final int width;
    private final double[] w;
    private final double[] start;
    /** The permitted error of each weight: 1e-5 of each change, and the rounding to float32 after it. */
    private final double[] bound;

    private final double[] first;
    private final double[] second;
    private final int[] steps;
    private int pushes;

    /**
     * Creates weights, which are small so that their changes are what is compared; zeros for FTRL, whose weights follow
     * from its state.
     *
     * @param largest the largest weight
     */
    Reference(OptimizerSpec rule, int rows, int width, double largest, Random random) {
        this.name = rule.name();
        this.arg = new HashMap<>();
        rule.arguments().forEach((argument, text) -> arg.put(argument, (double) Float.parseFloat(text)));
        this.width = width;
        this.w = new double[rows * width];
        this.bound = new double[w.length];
        this.first = new double[w.length];
        this.second = new double[w.length];
        this.steps = new int[rows];
        for (int i = 0; i < w.length && !name.equals("psf.ftrl"); i++) {
            w[i] = (float) (largest * (2 * random.nextFloat() - 1));
        }
        this.start = w.clone();
    }

    /** Returns the weights, [rows, width]. */
    float[] weights() {
        float[] weights = new float[w.length];
        for (int i = 0; i < w.length; i++) {
            weights[i] = (float) w[i];
        }
        return weights;
    }

    private double a(String argument) {
        return Objects.requireNonNull(arg.get(argument), argument);
    }

    /** Steps every row. */
    void push(float[] g) {
        int[] rows = new int[steps.length];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = i;
        }
        push(rows, g);
    }

    /** Steps some rows in order, as one push. */
    void push(int[] given, float[] gradients) {
        int[] rows = given;
        float[] g = gradients;
        if (name.equals("psf.all-rows-adam")) {
            rows = IntStream.range(0, steps.length).toArray();
            g = new float[w.length];
            for (int at = 0; at < given.length * width; at++) {
                g[given[at / width] * width + at % width] += gradients[at];
            }
        }
        pushes++;
        double ratio = name.equals("psf.lamb") ? ratio(rows, g) : 0;
        for (int at = 0; at < rows.length; at++) {
            int row = rows[at];
            steps[row]++;
            double meanSquare = 0;
            for (int c = 0; c < width; c++) {
                meanSquare += (double) g[at * width + c] * g[at * width + c] / width;
            }
            if (name.equals("psf.row-adagrad")) {
                first[row] += meanSquare;
            }
            for (int c = 0; c < width; c++) {
                int i = row * width + c;
                double before = w[i];
                step(row, i, g[at * width + c], ratio);
                bound[i] += 1e-5 * Math.abs(w[i] - before) + Math.ulp((float) w[i]);
            }
        }
    }

    private double ratio(int[] rows, float[] g) {
        double ofW = 0;
        double ofR = 0;
        for (int at = 0; at < rows.length; at++) {
            for (int c = 0; c < width; c++) {
                int i = rows[at] * width + c;
                double gradient = g[at * width + c];
                double m = a("b1") * first[i] + (1 - a("b1")) * gradient;
                double v = a("b2") * second[i] + (1 - a("b2")) * gradient * gradient;
                double r = adam(m, v, steps[rows[at]] + 1) + a("decay") * w[i];
                ofW += w[i] * w[i];
                ofR += r * r;
            }
        }
        return ofW > 0 && ofR > 0 ? Math.sqrt(ofW) / Math.sqrt(ofR) : 1;
    }

    private double adam(double m, double v, int t) {
        return m / (1 - Math.pow(a("b1"), t)) / (Math.sqrt(v / (1 - Math.pow(a("b2"), t))) + a("eps"));
    }

    private double moments(int i, double g, int t) {
        first[i] = a("b1") * first[i] + (1 - a("b1")) * g;
        second[i] = a("b2") * second[i] + (1 - a("b2")) * g * g;
        return adam(first[i], second[i], t);
    }

    private void step(int row, int i, double g, double ratio) {
        switch (name) {
            case "psf.add" -> w[i] += a("scale") * g;
            case "psf.assign" -> w[i] = g;
            case "psf.sgd" -> w[i] -= a("lr") * g;
            case "psf.momentum" -> {
                first[i] = a("m") * first[i] - a("lr") * g;
                w[i] += first[i];
            }
            case "psf.nesterov" -> {
                double step = -a("lr") * g;
                first[i] = a("m") * (first[i] + step);
                w[i] += first[i] + step;
            }
            case "psf.adagrad" -> {
                first[i] += g * g;
                w[i] -= a("lr") * g / (Math.sqrt(a("a0") + first[i]) + a("eps"));
            }
            case "psf.row-adagrad" -> w[i] -= a("lr") * g / (Math.sqrt(a("a0") + first[row]) + a("eps"));
            case "psf.rmsprop" -> {
                first[i] = a("rho") * first[i] + (1 - a("rho")) * g * g;
                w[i] -= a("lr") * g / (Math.sqrt(first[i]) + a("eps"));
            }
            case "psf.adadelta" -> {
                first[i] = a("rho") * first[i] + (1 - a("rho")) * g * g;
                double d = Math.sqrt(second[i] + a("eps")) / Math.sqrt(first[i] + a("eps")) * g;
                second[i] = a("rho") * second[i] + (1 - a("rho")) * d * d;
                w[i] -= a("lr") * d;
            }
            case "psf.adam" -> w[i] -= a("lr") * moments(i, g, steps[row]);
            case "psf.lazy-adam", "psf.all-rows-adam" -> w[i] -= a("lr") * moments(i, g, pushes);
            case "psf.adamw" -> {
                w[i] -= a("lr") * a("decay") * w[i];
                w[i] -= a("lr") * moments(i, g, steps[row]);
            }
            case "psf.lamb" -> {
                double r = moments(i, g, steps[row]) + a("decay") * w[i];
                w[i] -= a("lr") * ratio * r;
            }
            case "psf.ftrl" -> {
                double n0 = a("n0");
                double s = (Math.sqrt(n0 + second[i] + g * g) - Math.sqrt(n0 + second[i])) / a("lr");
                first[i] += g - s * w[i];
                second[i] += g * g;
                double z = first[i];
                w[i] = Math.abs(z) <= a("l1")
                        ? 0
                        : -(z - Math.signum(z) * a("l1"))
                                / ((a("beta") + Math.sqrt(n0 + second[i])) / a("lr") + a("l2"));
            }
            default -> throw new IllegalArgumentException(name);
        }
    }

    /** Asserts that the weights of the shard of the whole tensor have changed as these. */
    void assertSame(TestShard shard) {
        assertSame(shard.values().toArray());
    }

    /** Asserts that weights have changed as these, so nearly that updates that are 1e-3 too large would be seen. */
    void assertSame(float[] weights) {
        int sensitive = 0;
        for (int i = 0; i < w.length; i++) {
            if (!(Math.abs(weights[i] - start[i] - (w[i] - start[i])) <= bound[i])) { // NaN, too
                fail("%s, change of element %s: %s (expected: %s)", name, i, weights[i] - start[i], w[i] - start[i]);
            }
            sensitive += 1e-3 * Math.abs(w[i] - start[i]) > bound[i] ? 1 : 0;
        }
        assertThat(sensitive).as("elements with a change of 1000 bounds").isPositive();
    }
}

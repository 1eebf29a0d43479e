package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Optimizer;
import io.psf.api.Range;
import io.psf.api.array.FloatArray;
import io.psf.builtin.optimizer.Adam;
import io.psf.builtin.optimizer.AdamW;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.LazyAdam;
import io.psf.builtin.optimizer.Options;
import io.psf.testkit.TestShard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** The arrays that a rule steps: in a shard of psf's Java code, and equal ones for the kernels. */
final class HostRule {
    /** The number of steps whose corrections the kernels look up. */
    static final int KNOWN = 64;

    final TestShard shard;
    private final HostKernels kernels;
    private final Rule rule;
    private final float[] arguments;
    private final int width;
    private final int rows;
    private final List<String> states;
    private final long w;
    private final long[] state = new long[2];
    private final long steps;
    private final long corrections;
    private final Options options;
    private int stepsOfTensor;

    /** Arrays with random contents, and random numbers of steps from 0 to {@code mostSteps}. */
    HostRule(HostKernels kernels, Rule rule, Range range, int width, Random random, int mostSteps) {
        this(kernels, rule, Options.NONE, range, width, random, mostSteps);
    }

    HostRule(HostKernels kernels, Rule rule, Options options, Range range, int width, Random random, int mostSteps) {
        this.options = options;
        this.kernels = kernels;
        this.rule = rule;
        this.arguments = arguments(rule);
        this.width = width;
        this.rows = (int) range.length();
        this.states = rule.kernel(arguments).state();
        Optimizer optimizer = rule.create(options, arguments);
        this.shard = TestShard.of(range, range.end() + 5, width, optimizer);
        this.w = equal(shard.values(), gradient(random, rows * width));
        for (int i = 0; i < states.size(); i++) {
            float[] values = gradient(random, rows * width);
            for (int at = 0; at < values.length; at++) {
                values[at] = Math.abs(values[at]); // a root is computed of some
            }
            state[i] = equal(shard.slot(states.get(i), width), values);
        }
        boolean counts = rule.kernel(arguments).counting() == Kernel.Counting.ROWS;
        float[] counted = new float[rows];
        for (int row = 0; row < rows; row++) {
            counted[row] = random.nextInt(mostSteps + 1);
        }
        this.steps = counts ? equal(shard.slot("steps", 1), counted) : 0;
        this.corrections = counts ? kernels.copy(corrections()) : 0;
    }

    private static float[] arguments(Rule rule) {
        return switch (rule) {
            case ADD -> new float[] {1.7f};
            case ASSIGN -> new float[] {};
            case SGD -> new float[] {0.05f};
            case MOMENTUM, NESTEROV -> new float[] {0.05f, 0.9f};
            case ADA_GRAD -> new float[] {0.05f, 0.1f, 1e-7f};
            case ADAM, LAZY_ADAM -> new float[] {0.01f, 0.9f, 0.999f, 1e-8f};
            case RMS_PROP -> new float[] {0.01f, 0.9f, 1e-7f};
            case ADA_DELTA -> new float[] {1, 0.95f, 1e-6f};
            case FTRL -> new float[] {0.1f, 1, 0.01f, 0.001f};
            case ADAM_W -> new float[] {0.01f, 0.9f, 0.999f, 1e-8f, 0.02f};
        };
    }

    /** Returns finite values of many magnitudes, zeros and subnormal numbers among them. */
    static float[] gradient(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            double value = random.nextGaussian();
            values[i] = switch (random.nextInt(12)) {
                case 0 -> 0;
                case 1 -> -0f;
                case 2 -> (float) (value * 1e-41);
                case 3 -> (float) (value * 1e15);
                case 4 -> (float) (value * 1e-20);
                default -> (float) value;
            };
        }
        return values;
    }

    private long equal(FloatArray host, float[] values) {
        host.copyFrom(0, values, 0, values.length);
        return kernels.copy(values);
    }

    private Adam adam() {
        Kernel kernel = rule.kernel(arguments);
        return kernel instanceof AdamW decayed
                ? decayed.adam()
                : kernel instanceof LazyAdam lazy ? lazy.adam() : (Adam) kernel;
    }

    private long[] corrections() {
        long[] table = new long[2 * KNOWN];
        for (int count = 0; count < KNOWN; count++) {
            table[2 * count] = Double.doubleToRawLongBits(adam().correction().mean(count));
            table[2 * count + 1] =
                    Double.doubleToRawLongBits(adam().correction().exactRoot(count));
        }
        return table;
    }

    long steps() {
        return steps;
    }

    /** Steps the elements {@code [first, first + n)}; the number of steps counts this one. */
    void stepAll(float[] update, long first, long n) {
        kernels.launch(name("all"), withRule(w, kernels.copy(update), state[0], state[1], steps, first, n, width));
    }

    /** Counts a step of every row. */
    void count() {
        stepsOfTensor++;
        if (steps != 0) {
            kernels.launch("psf_count", steps, rows);
        }
    }

    /** Steps rows by key: each by its first item, from two launches, then the other items. */
    void stepRows(float[] update, long rows, int n, long claims, long status) {
        stepsOfTensor++;
        long g = kernels.copy(update);
        int half = n / 2;
        stepClaimed(g, rows, claims, 0, half, status);
        stepClaimed(
                kernels.copy(Arrays.copyOfRange(update, half * width, n * width)),
                rows,
                claims,
                half,
                n - half,
                status);
        kernels.launch("psf_release", rows, n, claims, steps, status);
        kernels.launchWithBarriers(name("rest"), withRule(w, g, state[0], state[1], steps, rows, n, width));
    }

    private void stepClaimed(long g, long rows, long claims, int first, int n, long status) {
        kernels.launch(name("rows"), withRule(w, g, state[0], state[1], steps, rows, claims, first, n, width, status));
    }

    private String name(String end) {
        return "psf_" + rule.name().toLowerCase(Locale.ROOT).replace("_", "") + "_" + end;
    }

    private Object[] withRule(Object... before) {
        List<Object> all = new ArrayList<>(Arrays.asList(before));
        float[] six = Arrays.copyOf(arguments, 6);
        if (rule == Rule.ADAM_W) {
            six[4] = ((AdamW) rule.kernel(arguments)).kept();
        } else if (rule == Rule.LAZY_ADAM) {
            six[4] = adam().correction().rate(adam().lr(), stepsOfTensor);
            six[5] = adam().correction().root(stepsOfTensor);
        }
        for (float each : six) {
            all.add(each);
        }
        all.add(options.clipValue());
        all.add(options.weightDecay());
        all.add(corrections);
        all.add(KNOWN);
        return all.toArray();
    }

    /** Checks that the kernels' arrays are those of the shard to the bit. */
    void assertEqual() {
        assertEqual("w", shard.values(), w);
        for (int i = 0; i < states.size(); i++) {
            assertEqual(states.get(i), shard.slot(states.get(i), width), state[i]);
        }
        if (steps != 0) {
            assertEqual("steps", shard.slot("steps", 1), steps);
        }
    }

    private void assertEqual(String name, FloatArray host, long device) {
        assertThat(kernels.floats(device, host.length())).as(name).isEqualTo(host.toArray());
    }
}

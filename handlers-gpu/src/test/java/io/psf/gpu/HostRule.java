package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.optimizer.Gradients;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.LearningRate;
import io.psf.builtin.optimizer.OffHostOptimizer;
import io.psf.builtin.optimizer.PushedRows;
import io.psf.builtin.optimizer.SquaredNorm;
import io.psf.builtin.optimizer.Step;
import io.psf.builtin.optimizer.TensorKernel;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.gpu.shard.RuleLaunches;
import io.psf.testkit.TestShard;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The arrays that a rule steps: in a shard of psf's Java code, and equal ones for the kernels. */
final class HostRule {
    /** The number of steps whose corrections the kernels look up. */
    static final int KNOWN = 64;

    final TestShard shard;
    /** Has what is beside the kernels' arrays, such as the number of steps of the tensor. */
    private final TestShard beside;

    private final HostKernels kernels;
    private final RuleLaunches launches;
    private final Kernel formula;
    private final int width;
    private final int rows;
    private final List<String> states;
    private final long w;
    private final long[] state = new long[2];
    /** The slot with one float for each row: the number of steps, or state; null if there is none. */
    private final @Nullable String slotOfRows;

    private final long ofRows;
    /** The number of steps of each row, or 0. */
    private final long steps;

    private final RuleLaunches.Columns stepped;
    /** The sums of the last step on the host. */
    private final Queue<double[]> totals = new ArrayDeque<>();

    /** Arrays with random contents, and random numbers of steps from 0 to {@code mostSteps}. */
    HostRule(HostKernels kernels, Rule rule, Range range, int width, Random random, int mostSteps) {
        this(kernels, spec(rule), range, width, random, mostSteps);
    }

    /** Arrays with random contents, and random numbers of steps from 0 to {@code mostSteps}. */
    HostRule(HostKernels kernels, OptimizerSpec spec, Range range, int width, Random random, int mostSteps) {
        this.kernels = kernels;
        this.launches = new RuleLaunches(kernels::launch);
        this.formula = ((TiledOptimizer) spec.create()).kernel();
        this.width = width;
        this.rows = (int) range.length();
        this.states = formula.state();
        this.shard = TestShard.of(range, range.end() + 5, width, spec.create());
        this.beside = TestShard.of(range, range.end() + 5, width, spec.create());
        this.w = equal(shard.values(), gradient(random, rows * width));
        for (int i = 0; i < states.size(); i++) {
            float[] values = gradient(random, rows * width);
            for (int at = 0; at < values.length; at++) {
                values[at] = Math.abs(values[at]); // a root is computed of some
            }
            state[i] = equal(shard.slot(states.get(i), width), values);
        }
        float[] counted = new float[rows];
        for (int row = 0; row < rows; row++) {
            counted[row] = random.nextInt(mostSteps + 1);
        }
        this.slotOfRows = RuleLaunches.ofRows(formula);
        this.ofRows = slotOfRows == null ? 0 : equal(shard.slot(slotOfRows, 1), counted);
        this.steps = formula.counting() == Kernel.Counting.ROWS ? ofRows : 0;
        long corrections = kernels.copy(RuleLaunches.corrections(formula, KNOWN));
        this.stepped = new RuleLaunches.Columns(w, state[0], state[1], ofRows, 0, corrections, KNOWN, width);
    }

    static OptimizerSpec spec(Rule rule) {
        return Optimizers.of((Record) rule.kernel(arguments(rule)));
    }

    private static float[] arguments(Rule rule) {
        return switch (rule) {
            case ADD -> new float[] {1.7f};
            case ASSIGN -> new float[] {};
            case SGD -> new float[] {0.05f};
            case MOMENTUM, NESTEROV -> new float[] {0.05f, 0.9f};
            case ADA_GRAD, ROW_ADA_GRAD -> new float[] {0.05f, 0.1f, 1e-7f};
            case RMS_PROP -> new float[] {0.01f, 0.9f, 1e-7f};
            case ADA_DELTA -> new float[] {0.7f, 0.95f, 1e-6f};
            case ADAM, LAZY_ADAM -> new float[] {0.01f, 0.9f, 0.999f, 1e-8f};
            case ADAM_W, LAMB -> new float[] {0.01f, 0.9f, 0.999f, 1e-8f, 0.3f};
            case FTRL -> new float[] {0.1f, 1, 0.5f, 0.1f};
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

    /** Sets the learning rate of both. */
    void setLearningRate(float rate) {
        LearningRate.set(shard, rate);
        LearningRate.set(beside, rate);
    }

    /** Steps the shard of psf's Java code; keys are null for all rows. */
    void onHost(@Nullable LongArray keys, float[] update) {
        totals.clear();
        Step step = Objects.requireNonNull(TiledOptimizer.of(shard)).begin(shard, keys, FloatArray.wrap(update));
        while (step.needsSums()) {
            double[] sums = step.sums();
            totals.add(sums);
            step.take(sums);
        }
        step.apply();
    }

    /** Steps the kernels' arrays as a device does. Sums are close to those of the host, which the step takes. */
    private void push(PushedRows rows, float[] update) {
        TiledOptimizer tiled = Objects.requireNonNull(TiledOptimizer.of(beside));
        beside.setOptimizer(new OnKernels(tiled, rows));
        Step step = tiled.begin(beside, null, FloatArray.wrap(update));
        beside.setOptimizer(tiled);
        while (step.needsSums()) {
            double[] expected = totals.remove();
            double[] sums = step.sums();
            assertThat(sums).hasSameSizeAs(expected);
            for (int i = 0; i < sums.length; i++) {
                assertThat(sums[i]).isCloseTo(expected[i], within(1e-12 * expected[i])); // added in another order
            }
            step.take(expected);
        }
        step.apply();
    }

    private record OnKernels(TiledOptimizer tiled, PushedRows rows) implements OffHostOptimizer {
        @Override
        public PushedRows pushed(@Nullable LongArray keys, FloatArray update) {
            return rows;
        }

        @Override
        public void apply(Shard shard, FloatArray update) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {
            throw new UnsupportedOperationException();
        }
    }

    /** Adds a piece's terms to the threads' sums. */
    @FunctionalInterface
    private interface Terms {
        void add(float[] piece, int first, long sums);
    }

    /** Adds up the terms of two pieces. */
    private double[] sums(int k, float[] update, int first, Terms terms) {
        int n = k * HostKernels.THREADS;
        long sums = kernels.allocate(8L * n);
        terms.add(Arrays.copyOfRange(update, 0, first), 0, sums);
        terms.add(Arrays.copyOfRange(update, first, update.length), first, sums);
        int m = 5 * k;
        long parts = kernels.allocate(8L * m);
        launches.addUp(sums, n, parts, m);
        return RuleLaunches.fold(kernels.doubles(parts, m), k);
    }

    private double[] squaredNorm(@Nullable Gradients gradients, float[] update) {
        return sums(
                1,
                update,
                update.length / 3,
                (piece, first, sums) -> launches.squaredNorm(gradients, kernels.copy(piece), piece.length, sums));
    }

    /** Steps all rows in two pieces, the second of which begins at about element {@code middle}. */
    void stepAll(float[] update, int middle) {
        int unit = 4 * width; // whole rows, which begin at multiples of 16 bytes
        int middleOfUnits = middle / unit * unit;
        push(
                new PushedRows() {
                    @Override
                    public double[] sums(TensorKernel kernel, @Nullable Gradients gradients, int count) {
                        if (kernel instanceof SquaredNorm) {
                            return squaredNorm(gradients, update);
                        }
                        RuleLaunches.Rule rule = launches.rule(kernel, gradients, count);
                        return HostRule.this.sums(
                                kernel.sums(),
                                update,
                                middleOfUnits,
                                (piece, first, sums) ->
                                        rule.sumsAll(stepped, kernels.copy(piece), first, piece.length, sums));
                    }

                    @Override
                    public void step(Kernel kernel, @Nullable Gradients gradients, int count) {
                        if (steps != 0) {
                            launches.count(steps, rows);
                        }
                        RuleLaunches.Rule rule = launches.rule(kernel, gradients, count);
                        int n = update.length;
                        long begin = kernels.copy(Arrays.copyOfRange(update, 0, middleOfUnits));
                        long end = kernels.copy(Arrays.copyOfRange(update, middleOfUnits, n));
                        rule.all(stepped, begin, 0, middleOfUnits / width);
                        rule.all(stepped, end, middleOfUnits / width, (n - middleOfUnits) / width);
                    }
                },
                update);
    }

    /** Steps all rows, each for the {@code count}-th time: their number of steps is an argument. */
    void stepAllOnce(float[] update, int count) {
        RuleLaunches.Columns same = new RuleLaunches.Columns(
                w, state[0], state[1], steps != 0 ? 0 : ofRows, count, stepped.corrections(), KNOWN, width);
        push(
                new PushedRows() {
                    @Override
                    public double[] sums(TensorKernel kernel, @Nullable Gradients gradients, int step) {
                        RuleLaunches.Rule rule = launches.rule(kernel, gradients, step);
                        return HostRule.this.sums(
                                kernel.sums(),
                                update,
                                update.length / width / 2 * width,
                                (piece, first, sums) ->
                                        rule.sumsAll(same, kernels.copy(piece), first, piece.length, sums));
                    }

                    @Override
                    public void step(Kernel kernel, @Nullable Gradients gradients, int step) {
                        launches.rule(kernel, gradients, step).all(same, kernels.copy(update), 0, rows);
                    }
                },
                update);
    }

    /**
     * Steps rows by key: each by its first item, from two launches, then the other items.
     *
     * @param rows the rows of the items
     * @param rowsOfItems the rows of the items, or their entries of an index
     * @param entries the entries of the index, or 0
     */
    void stepRows(
            float[] update, long rows, long rowsOfItems, int n, long entries, RuleLaunches.Taken claims, long status) {
        int half = n / 2;
        push(
                new PushedRows() {
                    @Override
                    public double[] sums(TensorKernel kernel, @Nullable Gradients gradients, int count) {
                        if (kernel instanceof SquaredNorm) {
                            return squaredNorm(gradients, update);
                        }
                        RuleLaunches.Rule rule = launches.rule(kernel, gradients, count);
                        return HostRule.this.sums(
                                kernel.sums(),
                                update,
                                half * width,
                                (piece, first, sums) -> rule.sumsRows(
                                        stepped, kernels.copy(piece), rows, first / width, piece.length / width, sums));
                    }

                    @Override
                    public void step(Kernel kernel, @Nullable Gradients gradients, int count) {
                        RuleLaunches.Rule rule = launches.rule(kernel, gradients, count);
                        long g = kernels.copy(update);
                        launches.mark(rowsOfItems, n, entries, claims, steps, status);
                        rule.rows(stepped, g, rowsOfItems, 0, half, status);
                        long second = kernels.copy(Arrays.copyOfRange(update, half * width, n * width));
                        rule.rows(stepped, second, rowsOfItems, half, n - half, status);
                        rule.rest(stepped, g, later(rowsOfItems, n), n);
                    }
                },
                update);
    }

    /** Returns the rows of the items that repeat one, none for the others. */
    private long later(long rowsOfItems, int n) {
        return kernels.copy(Arrays.stream(kernels.ints(rowsOfItems, n))
                .map(row -> row < HostTable.NONE ? -2 - row : HostTable.NONE)
                .toArray());
    }

    /** Checks that the kernels' arrays are those of the shard to the bit. */
    void assertEqual() {
        assertStatesEqual();
        if (slotOfRows != null) {
            assertEqual(slotOfRows, shard.slot(slotOfRows, 1), ofRows);
        }
    }

    /** Checks that the values and states are those of the shard to the bit. */
    void assertStatesEqual() {
        assertEqual("w", shard.values(), w);
        for (int i = 0; i < states.size(); i++) {
            assertEqual(states.get(i), shard.slot(states.get(i), width), state[i]);
        }
    }

    private void assertEqual(String name, FloatArray host, long device) {
        assertThat(kernels.floats(device, host.length())).as(name).isEqualTo(host.toArray());
    }
}

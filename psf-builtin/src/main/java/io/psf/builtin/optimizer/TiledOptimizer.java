package io.psf.builtin.optimizer;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/**
 * The part that all formulas share: selects the rows that a push steps, counts the steps of each row, and clips and
 * decays. Stateless: state and step counts are in the shard's slots and attachments, and each thread has its own tiles.
 */
public final class TiledOptimizer implements Optimizer {
    private static final ThreadLocal<Tiles> TILES = ThreadLocal.withInitial(Tiles::new);

    private final String name;
    private final Kernel kernel;
    private final Options options;
    /** Null for a formula without a learning rate. */
    private final @Nullable Rate rate;
    /** True if the rate differs from step to step, or was set. */
    private final boolean isRated;
    /** True if a step is the formula alone, over the rows of the push. */
    private final boolean isPlain;

    /** Creates an optimizer that is the formula alone. */
    public TiledOptimizer(String name, Kernel kernel) {
        this(name, kernel, Options.NONE, null, false);
    }

    TiledOptimizer(String name, Kernel kernel, Options options, @Nullable Rate rate) {
        this(name, kernel, options, rate, !options.schedule().isConstant());
    }

    /**
     * Creates an optimizer.
     *
     * @param rate the learning rate; null for a formula without one
     * @param isRated true if the rate differs from step to step, or was set
     * @throws IllegalArgumentException if the formula replaces the weights and an option is to change gradients, or if
     *     it has no learning rate and the rate is to differ, or does not take a rate of the schedule
     */
    private TiledOptimizer(String name, Kernel kernel, Options options, @Nullable Rate rate, boolean isRated) {
        OptimizerChecks.require(
                !kernel.replaces() || options.keepGradients(), "options of " + name, options.texts(), "none");
        OptimizerChecks.require(!isRated || rate != null, "learning rate of " + name, "none", "an argument \"lr\"");
        this.name = name;
        this.kernel = kernel;
        this.options = options;
        this.rate = rate;
        this.isRated = isRated;
        this.isPlain = options.keepGradients()
                && !options.skipNonFinite()
                && !isRated
                && kernel.counting() != Kernel.Counting.TENSOR
                && !kernel.stepsAllRows()
                && !(kernel instanceof TensorKernel);
        if (isRated && rate != null) {
            var unused = requireRates(rate.base());
        }
    }

    /** Returns the formula and the options of a shard's optimizer, in whatever memory; null if it has none. */
    public static @Nullable TiledOptimizer of(Shard shard) {
        Optimizer optimizer = shard.optimizer();
        if (optimizer instanceof TiledOptimizer tiled) {
            return tiled;
        }
        return optimizer instanceof OffHostOptimizer elsewhere ? elsewhere.tiled() : null;
    }

    /** Returns the tiles of this thread. */
    static Tiles tiles() {
        return TILES.get();
    }

    /** Returns the formula, at the rate of its arguments. */
    public Kernel kernel() {
        return kernel;
    }

    /** True if a step is the formula alone: nothing is clipped, decayed or scheduled, and no sums are needed. */
    public boolean isPlain() {
        return isPlain;
    }

    /**
     * True if each push to a shard is one step of its optimizer, also a push without rows: such a push is not divided
     * and not left out, since steps are counted, or sums are over all rows of a push.
     */
    public static boolean dependsOnPushes(Shard shard) {
        TiledOptimizer optimizer = of(shard);
        return optimizer != null && !optimizer.isPlain;
    }

    /**
     * True if a push concerns each shard, also one without rows of the push: pushes are counted, or all rows are
     * stepped.
     */
    public boolean needsEveryPush() {
        return needsSums()
                || kernel.counting() == Kernel.Counting.TENSOR
                || kernel.stepsAllRows()
                || !options.schedule().isConstant();
    }

    /** True if a step needs sums over all slices of the tensor. Such a step is made by {@link #begin}. */
    public boolean needsSums() {
        return roundNeedsSums() || options.skipNonFinite();
    }

    /** True if the step of a round needs sums over all slices, and not only each push. */
    public boolean roundNeedsSums() {
        return options.clipNorm() > 0 || kernel instanceof TensorKernel;
    }

    /**
     * Returns the tensors over which the norm of the gradient is; null for this one alone, or without a limit of the
     * norm.
     */
    public @Nullable GlobalNorm globalNorm() {
        return options.globalNorm();
    }

    /** True if a push with an element that is not finite, on any slice, is left out. */
    public boolean skipsNonFinite() {
        return options.skipNonFinite();
    }

    /**
     * Returns this optimizer at the learning rate that is set in the shard's {@link Progress}.
     *
     * @throws IllegalArgumentException if the formula has no learning rate
     */
    public TiledOptimizer atSetRate() {
        return isRated ? this : new TiledOptimizer(name, kernel, options, rate, true);
    }

    /**
     * Returns this optimizer, if it takes a learning rate and the factors of its schedule.
     *
     * @throws IllegalArgumentException if the formula does not take the rate, or takes it but not every one of the
     *     schedule
     */
    TiledOptimizer requireRates(float base) {
        var unused = at(base);
        for (double factor : options.schedule().bounds()) {
            unused = at((float) (base * factor));
        }
        return this;
    }

    /**
     * Returns the formula at a rate.
     *
     * @throws IllegalArgumentException naming the optimizer and the rate, if the formula does not take it
     */
    Kernel at(float now) {
        if (rate == null) {
            return kernel;
        }
        try {
            return rate.at(now);
        } catch (IllegalArgumentException e) {
            String schedule = options.schedule().isConstant() ? "" : " with " + options.texts();
            throw new IllegalArgumentException(
                    "learning rate of " + name + schedule + ": " + now + ", which it refuses: " + e.getMessage(), e);
        }
    }

    /**
     * Begins a step, which changes the shard when it has the sums that it needs.
     *
     * @param keys [n] int64, global keys; null for every row; borrowed until the step is complete
     * @param update [n, width] float32; borrowed until the step is complete
     * @throws PsException with {@code BAD_REQUEST} if the formula does not take the rate of the step
     */
    public Step begin(Shard shard, @Nullable LongArray keys, FloatArray update) {
        return begin(
                shard,
                shard.optimizer() instanceof OffHostOptimizer elsewhere
                        ? elsewhere.pushed(keys, update)
                        : new TiledRows(shard, keys, update));
    }

    private Step begin(Shard shard, PushedRows rows) {
        Kernel now = kernel;
        int steps = 0;
        if (isRated || kernel.counting() == Kernel.Counting.TENSOR) {
            Progress progress = Progress.of(shard);
            long step = progress.next();
            steps = (int) Math.min(Integer.MAX_VALUE, step);
            if (isRated && rate != null) {
                double factor = options.schedule().factor(step);
                now = progress.at((float) (progress.learningRate(rate.base()) * factor), this);
            }
        }
        int ofTensor = kernel.counting() == Kernel.Counting.TENSOR ? steps : 0;
        return new Step(now, options, rows, ofTensor);
    }

    @Override
    public void apply(Shard shard, FloatArray update) {
        Shapes.requireDense(shard, update);
        TiledRows rows = new TiledRows(shard, null, update);
        if (isPlain) {
            rows.step(kernel, null, 0);
        } else {
            complete(shard, rows);
        }
    }

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {
        apply(shard, keys, null, update);
    }

    /**
     * Applies an update of some rows.
     *
     * @param keys [n] int64, global keys
     * @param known [n], the rows of the keys, -1 for a key without one, completed; null if they are to be found
     * @param update [n, width] float32
     */
    public void apply(Shard shard, LongArray keys, int @Nullable [] known, FloatArray update) {
        Shapes.requireSparse(shard, keys, update);
        TiledRows rows = new TiledRows(shard, keys, known, update);
        if (isPlain) {
            rows.step(kernel, null, 0);
        } else {
            complete(shard, rows);
        }
    }

    /**
     * Makes a step at once.
     *
     * @throws PsException with {@code BAD_REQUEST} if the step needs sums over other slices, or the formula does not
     *     take the rate of the step
     */
    public void complete(Shard shard, PushedRows rows) {
        if (needsSumsOfOthers(shard)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "optimizer " + this + ": needs sums over all slices of tensor \""
                            + shard.spec().id() + "\""
                            + (globalNorm() == null
                                    ? " (expected: a push, or a tensor of one slice)"
                                    : " and of others (expected: a push)"));
        }
        Step step = begin(shard, rows);
        while (step.needsSums()) {
            step.take(step.sums());
        }
        step.apply();
    }

    /** True if a step needs sums over other shards: of other slices, or of other tensors. */
    public boolean needsSumsOfOthers(Shard shard) {
        boolean isWhole = shard.range().length() == shard.spec().rows();
        return needsSums() && (!isWhole || globalNorm() != null);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String toString() {
        return kernel + (options.texts().isEmpty() ? "" : " " + options.texts());
    }
}

package io.psf.builtin.optimizer;

import io.psf.api.PsException;
import org.jspecify.annotations.Nullable;

/**
 * One step of a shard that has begun: it takes the sums over the whole tensor that it needs, one array after the other,
 * and then changes the shard. Used on the shard's lane; other steps may begin and end meanwhile.
 */
public final class Step {
    private final Options options;
    private final PushedRows rows;
    private final int stepsOfTensor;
    private Kernel kernel;
    private float scale = 1;
    private boolean isClipped;

    Step(Kernel kernel, Options options, PushedRows rows, int stepsOfTensor) {
        this.kernel = kernel;
        this.options = options;
        this.rows = rows;
        this.stepsOfTensor = stepsOfTensor;
        this.isClipped = options.clipNorm() == 0;
    }

    /** True if the step needs further sums. */
    public boolean needsSums() {
        return !isClipped || kernel instanceof TensorKernel;
    }

    /** Returns the tensors over which the next sums are; null for the shard's tensor alone. */
    public @Nullable GlobalNorm globalNorm() {
        return isClipped ? null : options.globalNorm();
    }

    /** Returns this shard's part of the next sums. */
    public double[] sums() {
        TensorKernel summing = !isClipped ? new SquaredNorm() : (TensorKernel) kernel;
        float decay = isClipped ? options.weightDecay() : 0;
        return rows.sums(summing, Gradients.of(options.withWeightDecay(decay), scale), stepsOfTensor);
    }

    /**
     * Takes the next sums.
     *
     * @param totals over all slices, and all tensors of the {@link #globalNorm}
     * @throws PsException with {@code BAD_REQUEST} if the norm to clip is not finite; the step must not be applied then
     */
    public void take(double[] totals) {
        if (isClipped) {
            kernel = ((TensorKernel) kernel).with(totals);
            return;
        }
        double norm = Math.sqrt(totals[0]);
        if (!Double.isFinite(norm)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    (options.globalNorm() == null ? "norm of the gradient: " : "global norm of the gradients: ") + norm
                            + " (expected: finite, for clipNorm; skipNonFinite leaves such pushes out)");
        }
        scale = norm > options.clipNorm() ? (float) (options.clipNorm() / norm) : 1;
        isClipped = true;
    }

    /** Changes the shard. */
    public void apply() {
        rows.step(kernel, Gradients.of(options, scale), stepsOfTensor);
    }
}

package io.psf.gpu.shard;

import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Gradients;
import io.psf.builtin.optimizer.SquaredNorm;
import io.psf.builtin.optimizer.TensorKernel;
import io.psf.gpu.driver.Block;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Adds up one shard's part of the sums of a formula on the device. Each thread adds in double precision, then the
 * threads' sums are added, the last of them on the host: the order differs from the host's order.
 */
final class DeviceSums {
    /** The number of parts of each sum that the host adds up. */
    private static final int PARTS = 1024;

    private final DeviceSteps steps;
    private final int width;

    DeviceSums(DeviceSteps steps, int width) {
        this.steps = steps;
        this.width = width;
    }

    /**
     * Returns the sums.
     *
     * @param formula a squared norm, or a formula that the kernels have
     * @param keys [n] int64, global keys, whose rows are created; null for every row
     * @param update [n, width] float32
     */
    double[] of(
            TensorKernel formula,
            @Nullable Gradients gradients,
            int count,
            @Nullable LongArray keys,
            FloatArray update) {
        return steps.operation(kernels -> {
            Launch launch = launch(kernels, formula, gradients, count, keys);
            return sums(kernels, formula.sums(), update, launch);
        });
    }

    /** Queues the kernel that adds a piece of the update to the threads' sums. */
    @FunctionalInterface
    private interface Launch {
        void run(long piece, int first, int n, long sums);
    }

    private Launch launch(
            Kernels kernels, TensorKernel formula, @Nullable Gradients gradients, int count, @Nullable LongArray keys) {
        if (formula instanceof SquaredNorm) {
            var unused = keys == null ? null : steps.make(kernels, keys); // an invalid key fails before any slice steps
            float clip = Stepped.clip(gradients);
            return (piece, first, n, sums) -> kernels.squaredNorm(piece, (long) n * width, clip, sums);
        }
        RuleKernel rule = RuleKernel.of(formula, gradients, count);
        if (keys == null) {
            Stepped all = steps.steppedAll(rule);
            return (piece, first, n, sums) ->
                    kernels.lambSumsAll(all, piece, (long) first * width, (long) n * width, sums);
        }
        var unused = steps.stepped(rule); // creates the slots, so that they grow with the rows
        Block items = steps.make(kernels, keys);
        Stepped stepped = steps.stepped(rule);
        return (piece, first, n, sums) -> kernels.lambSumsRows(stepped, piece, items.address(), first, n, sums);
    }

    private double[] sums(Kernels kernels, int k, FloatArray update, Launch launch) {
        Workspace workspace = steps.workspace();
        long n = (long) k * kernels.threadsOfSums();
        int m = k * PARTS;
        Block sums = workspace.scratch("sums", n * Double.BYTES);
        Block parts = workspace.scratch("parts of sums", (long) m * Double.BYTES);
        workspace.stream().fill(sums.address(), n * Double.BYTES, 0);
        steps.pieces().in(update, width, (piece, first, some) -> launch.run(piece, first, some, sums.address()));
        kernels.addUp(sums.address(), n, parts.address(), m);
        ByteBuffer bytes = workspace.pinned(m * Double.BYTES);
        workspace.stream().copyOut(parts.address(), bytes);
        workspace.stream().synchronize();
        double[] all = new double[m];
        bytes.asDoubleBuffer().get(all);
        return fold(all, k);
    }

    /** Adds k sums, whose parts take turns. */
    static double[] fold(double[] parts, int k) {
        double[] sums = new double[k];
        for (int i = 0; i < parts.length; i++) {
            sums[i % k] += parts[i];
        }
        return sums;
    }
}

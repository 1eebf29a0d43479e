package io.psf.gpu.shard;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Gradients;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.OffHostOptimizer;
import io.psf.builtin.optimizer.PushedRows;
import io.psf.builtin.optimizer.Shapes;
import io.psf.builtin.optimizer.TensorKernel;
import io.psf.builtin.optimizer.TiledOptimizer;
import org.jspecify.annotations.Nullable;

/** The optimizer of one shard on the device. Returns when the update is in the values. */
final class DeviceOptimizer implements OffHostOptimizer {
    private final TiledOptimizer tiled;
    private final DeviceSteps steps;
    private final DeviceSums sums;
    /** The formula at the rate of its arguments. */
    private final RuleKernel rule;

    /**
     * Creates the first optimizer of a shard.
     *
     * @throws PsException with {@code BAD_REQUEST} if the kernels do not have it
     */
    static DeviceOptimizer of(Optimizer onHost, DeviceRows rows, int width, DeviceSteps.Created created) {
        DeviceSteps steps = new DeviceSteps(rows, width, created);
        return new DeviceOptimizer(onHost, steps, new DeviceSums(steps, width));
    }

    private DeviceOptimizer(Optimizer onHost, DeviceSteps steps, DeviceSums sums) {
        this.rule = RuleKernel.of(onHost);
        this.tiled = (TiledOptimizer) onHost;
        this.steps = steps;
        this.sums = sums;
        steps.prepare(rule);
    }

    /**
     * Returns another optimizer of the same shard.
     *
     * @throws PsException with {@code BAD_REQUEST} if the kernels do not have it
     */
    DeviceOptimizer with(Optimizer onHost) {
        return new DeviceOptimizer(onHost, steps, sums);
    }

    @Override
    public TiledOptimizer tiled() {
        return tiled;
    }

    @Override
    public String name() {
        return tiled.name();
    }

    @Override
    public String toString() {
        return tiled + " on " + steps.workspace().device();
    }

    @Override
    public void apply(Shard shard, FloatArray update) {
        Shapes.requireDense(shard, update);
        if (tiled.isPlain()) {
            steps.all(rule, update);
        } else {
            tiled.complete(shard, pushed(null, update));
        }
    }

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {
        Shapes.requireSparse(shard, keys, update);
        if (tiled.isPlain()) {
            steps.rows(rule, keys, update);
        } else {
            tiled.complete(shard, pushed(keys, update));
        }
    }

    @Override
    public PushedRows pushed(@Nullable LongArray keys, FloatArray update) {
        return new PushedRows() {
            @Override
            public double[] sums(TensorKernel kernel, @Nullable Gradients gradients, int count) {
                if (keys != null && keys.length() == 0) {
                    return new double[kernel.sums()];
                }
                return sums.of(kernel, gradients, count, keys, update);
            }

            @Override
            public void step(Kernel kernel, @Nullable Gradients gradients, int count) {
                RuleKernel now = RuleKernel.of(kernel, gradients, count);
                if (keys == null) {
                    steps.all(now, update);
                } else if (keys.length() > 0) {
                    steps.rows(now, keys, update);
                }
            }
        };
    }
}

package io.psf.acceptance;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker of synchronous training in epochs, as the guide has it: the workers have unequal shares of the data, and a
 * step of the training loop is an epoch. Prints {@code STEP} for each batch, and the model at the end.
 */
public final class EpochsMain {
    private static final int N = 500;

    private EpochsMain() {}

    public static void main(String[] args) {
        long epochs = Long.parseLong(args[0]);
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            TensorId w = Tensors.init(
                    worker,
                    TensorSpec.dense("w", N)
                            .initializer(Initializers.normal(0, 1, 3))
                            .optimizer(Optimizers.adam(0.1)) // another division into rounds is another model
                            .updates(Updates.MEAN)
                            .slices(7));
            ModelCheckpoints.at(worker, "epochs").everySteps(1).run(epochs, epoch -> {
                long share = 2 + (2L * worker.rank() + epoch) % 5;
                for (int batch = 0; batch < share; batch++) {
                    Tensors.push(worker, w, gradient(epoch, worker.rank(), batch))
                            .await();
                    System.out.println("STEP " + batch + " of " + share + " in epoch " + epoch);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                }
                Tensors.endEpoch(worker);
            });
            System.out.println("MODEL " + Arrays.hashCode(Tensors.pull(worker, w)));
            worker.barrier();
        }
    }

    private static float[] gradient(long epoch, int rank, int batch) {
        Random random = new Random(961 * epoch + 31L * rank + batch);
        float[] gradient = new float[N];
        for (int i = 0; i < N; i++) {
            gradient[i] = random.nextFloat() - 0.5f;
        }
        return gradient;
    }
}

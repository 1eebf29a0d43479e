package io.psf.examples.lion;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.optimizer.Schedule;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;

/** Fits a line with {@link Lion}: y = 2 x + 1, from noisy gradients. Prints the line after every 100 steps. */
public final class LionMain {
    private LionMain() {}

    /** Runs the example on a cluster in this JVM. */
    public static void main(String[] args) {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            float[] line = fit(cluster.worker(), true);
            System.out.printf("y = %.2f x + %.2f%n", line[0], line[1]);
        }
    }

    static float[] fit(Worker worker, boolean prints) {
        TensorId line = Tensors.init(
                worker,
                TensorSpec.dense("line", 2)
                        .initializer(Initializers.constant(0))
                        .optimizer(
                                Optimizers.of(new Lion(0.02f, 0.9f, 0.99f, 0)).schedule(Schedule.cosine(500, 0.01))));
        float[] w = new float[2];
        for (int step = 1; step <= 500; step++) {
            float x = (step * 0.37f) % 2 - 1;
            float error = w[0] * x + w[1] - (2 * x + 1);
            Tensors.pushPull(worker, line, new float[] {error * x, error}, w).await();
            if (prints && step % 100 == 0) {
                System.out.printf("step %d: y = %.2f x + %.2f%n", step, w[0], w[1]);
            }
        }
        return w;
    }
}

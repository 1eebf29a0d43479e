package io.psf.examples.hetu;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePull;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.Arrays;

/** Hetu's {@code worker.py}: creates a tensor of 128 fives on the servers, pulls it, waits and prints it. */
public final class WorkerMain {
    private WorkerMain() {}

    /** Runs the worker that the environment names. */
    public static void main(String[] arguments) {
        float[] target = new float[128];
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            TensorId tensor = Tensors.init(
                    worker,
                    TensorSpec.dense("0", 128)
                            .initializer(Initializers.constant(5.0))
                            .optimizer(Optimizers.sgd(0.1)));
            Pending<DensePull.Response> pull = Tensors.pull(worker, tensor, target);
            pull.await();
            System.out.println(Arrays.toString(target));
        }
    }
}

package io.psf.examples;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;

/** The smallest program: creates a tensor of 128 fives on the servers, pulls and prints it. */
public final class Smallest {
    private Smallest() {}

    /** Runs standalone, or as a worker of the cluster that the environment names. */
    public static void main(String[] arguments) {
        OnCluster.run(Smallest::printFives);
    }

    static void printFives(Worker worker) {
        TensorId fives = Tensors.init(worker, TensorSpec.dense("fives", 128).initializer(Initializers.constant(5.0)));
        float[] values = new float[128];
        Tensors.pull(worker, fives, values).await();
        for (float value : values) {
            System.out.println(value);
        }
    }
}

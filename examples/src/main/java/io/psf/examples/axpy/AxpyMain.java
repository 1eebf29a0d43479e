package io.psf.examples.axpy;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.examples.OnCluster;
import io.psf.runtime.Worker;

/** Calls {@link Axpy}: standalone with {@code java}, or on separate processes with {@code psf launch}. */
public final class AxpyMain {
    private static final int ROWS = 1_000_000;

    private AxpyMain() {}

    /** Runs standalone, or as a worker of the cluster that the environment names. Prints the norm of the new y. */
    public static void main(String[] arguments) {
        OnCluster.run(worker -> System.out.println("norm " + norm(worker)));
    }

    static double norm(Worker worker) {
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", ROWS).initializer(Initializers.normal(0, 0.01, 7)));
        FloatArray x = FloatArray.allocate(ROWS);
        x.fill(1);
        AxpyPsf.Stub axpy = AxpyPsf.stub(worker); // generated; stateless, thread-safe
        Pending<Axpy.Response> pending = axpy.call(w, 0.1f, x); // sent now; x is borrowed until await
        return Math.sqrt(pending.await().squaredNorm());
    }
}

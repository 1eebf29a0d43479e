package io.psf.gpu.shard;

import io.psf.api.TensorId;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.gpu.report.Measured;
import io.psf.runtime.PsCluster;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import java.util.function.Consumer;

/** Calls of a worker over shared memory, to a tensor on a device and to the same tensor in the server's own memory. */
final class ClusterBenchmarks {
    private static final int[] BYTES = {4 << 10, 1 << 20, 64 << 20};

    private ClusterBenchmarks() {}

    static void run(Consumer<Measured> rows, String placement) {
        TransportConfig sharedMemory = TransportConfig.usual().withKind(TransportConfig.Kind.SHM);
        try (PsCluster cluster =
                PsCluster.builder().servers(1).devices(0).over(sharedMemory).start()) {
            for (int bytes : BYTES) {
                run(cluster.worker(), bytes, placement, Optimizers.add(), rows);
                run(cluster.worker(), bytes, placement, Optimizers.adam(0.01), rows);
            }
        }
    }

    private static void run(
            Worker worker, int bytes, String placement, OptimizerSpec optimizer, Consumer<Measured> rows) {
        boolean isAdam = optimizer.name().endsWith("adam");
        String size = bytes < 1 << 20 ? bytes / 1024 + " KB" : bytes / (1 << 20) + " MB";
        TensorSpec spec =
                TensorSpec.dense("t" + bytes, bytes / Float.BYTES).slices(1).optimizer(optimizer);
        float[] values = new float[bytes / Float.BYTES];
        double[] onHost = times(worker, spec.placement("host"), values);
        double[] onDevice = times(worker, spec.placement(placement), values);
        String remark = "floor: the same call to a tensor in the server's own memory";
        String push = "Tensors.push of " + size + " over shared memory" + (isAdam ? ", Adam" : "");
        rows.accept(Measured.time(push, onDevice[0], onHost[0]).noted(remark));
        if (isAdam) {
            return; // pulls are the same
        }
        rows.accept(Measured.time("Tensors.pull of " + size + " over shared memory", onDevice[1], onHost[1])
                .noted(remark));
    }

    /** Returns the seconds of a push and of a pull. */
    private static double[] times(Worker worker, TensorSpec spec, float[] values) {
        TensorId tensor = Tensors.init(worker, spec);
        try {
            double push =
                    Timing.whole(() -> Tensors.push(worker, tensor, values).await());
            double pull =
                    Timing.whole(() -> Tensors.pull(worker, tensor, values).await());
            return new double[] {push, pull};
        } finally {
            Tensors.clear(worker, tensor);
        }
    }
}

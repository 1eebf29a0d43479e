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
import java.util.Random;
import java.util.function.Consumer;

/** Calls of a worker over shared memory, to a tensor on a device and to the same tensor in the server's own memory. */
final class ClusterBenchmarks {
    private static final int[] BYTES = {4 << 10, 1 << 20, Size.IS_SMALL ? 2 << 20 : 64 << 20};
    private static final int ROWS = Size.of(1 << 22);
    private static final int WIDTH = 64;
    private static final String REMARK = "floor: the same call to a tensor in the server's own memory";
    /** The slices of a tensor of which each has a lane. */
    private static final int LANES = 4;

    private ClusterBenchmarks() {}

    static void run(Consumer<Measured> rows, String placement) {
        TransportConfig sharedMemory = TransportConfig.usual().withKind(TransportConfig.Kind.SHM);
        try (PsCluster cluster =
                PsCluster.builder().servers(1).devices(0).over(sharedMemory).start()) {
            for (int bytes : BYTES) {
                run(cluster.worker(), bytes, placement, Optimizers.add(), rows);
                run(cluster.worker(), bytes, placement, Optimizers.adam(0.01), rows);
            }
            for (int n : new int[] {1, 2000, Size.IS_SMALL ? 3000 : 100_000}) {
                byKey(cluster.worker(), n, placement, rows);
            }
        }
        try (PsCluster cluster = PsCluster.builder()
                .servers(1)
                .lanes(LANES)
                .devices(0)
                .over(sharedMemory)
                .start()) {
            onLanes(cluster.worker(), placement, rows);
        }
    }

    /** Calls by key: pushes of keys that differ, pushes of Zipf keys, and pulls. */
    private static void byKey(Worker worker, int n, String placement, Consumer<Measured> rows) {
        TensorSpec spec = TensorSpec.table("rows", ROWS, WIDTH).slices(1).optimizer(Optimizers.adam(0.01));
        long[] keys = new Random(1).longs(n, 0, ROWS).toArray();
        long[] zipf = Zipf.keys(n, ROWS);
        float[] values = new float[n * WIDTH];
        double[][] times = new double[2][];
        for (int i = 0; i < 2; i++) {
            TensorId tensor = Tensors.init(worker, spec.placement(i == 0 ? placement : "host"));
            times[i] = new double[] {
                Timing.whole(
                        () -> Tensors.pushRows(worker, tensor, keys, values).await()),
                Timing.whole(
                        () -> Tensors.pushRows(worker, tensor, zipf, values).await()),
                Timing.whole(
                        () -> Tensors.pullRows(worker, tensor, keys, values).await())
            };
            Tensors.clear(worker, tensor);
        }
        String[] names = {
            "Tensors.pushRows of %s keys, Adam", "Tensors.pushRows of %s Zipf keys, Adam", "Tensors.pullRows of %s keys"
        };
        for (int i = 0; i < names.length; i++) {
            rows.accept(Measured.time(names[i].formatted(n) + ", shared memory", times[0][i], times[1][i])
                    .noted(REMARK));
        }
    }

    /** A dense tensor in slices, each on a lane of its own. */
    private static void onLanes(Worker worker, String placement, Consumer<Measured> rows) {
        int floats = BYTES[BYTES.length - 1] / Float.BYTES;
        TensorSpec spec = TensorSpec.dense("lanes", floats).slices(LANES).optimizer(Optimizers.adam(0.01));
        float[] values = new float[floats];
        double[] onHost = times(worker, spec.placement("host"), values);
        double[] onDevice = times(worker, spec.placement(placement), values);
        String of = " of 64 MB in " + LANES + " slices on " + LANES + " lanes, shared memory";
        rows.accept(Measured.time("Tensors.push" + of + ", Adam", onDevice[0], onHost[0])
                .noted(REMARK));
        rows.accept(Measured.time("Tensors.pull" + of, onDevice[1], onHost[1]).noted(REMARK));
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
        String push = "Tensors.push of " + size + " over shared memory" + (isAdam ? ", Adam" : "");
        rows.accept(Measured.time(push, onDevice[0], onHost[0]).noted(REMARK));
        if (isAdam) {
            return; // pulls are the same
        }
        rows.accept(Measured.time("Tensors.pull of " + size + " over shared memory", onDevice[1], onHost[1])
                .noted(REMARK));
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

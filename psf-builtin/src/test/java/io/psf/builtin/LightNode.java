package io.psf.builtin;

import io.psf.api.TensorId;
import io.psf.runtime.Scheduler;
import io.psf.runtime.Server;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.Arrays;

/** The program of {@link LightRuntimeTest}: a node of the role that the environment names. */
final class LightNode {
    private LightNode() {}

    public static void main(String[] arguments) {
        Settings settings = Settings.fromEnvironment();
        switch (settings.role()) {
            case SCHEDULER -> {
                try (Scheduler node = Scheduler.start(settings.scheduler())) {
                    node.awaitTermination();
                }
            }
            case SERVER -> {
                try (Server node = Server.start(settings.server())) {
                    node.awaitTermination();
                }
            }
            case WORKER, CLIENT -> {
                try (Worker worker = Worker.connect(settings.worker())) {
                    work(worker);
                }
            }
        }
    }

    private static void work(Worker worker) {
        TensorId dense = Tensors.init(worker, TensorSpec.dense("w", 1000).optimizer(Optimizers.add()));
        float[] update = new float[1000];
        Arrays.fill(update, 2);
        Tensors.push(worker, dense, update).await();
        Tensors.push(worker, dense, update).await();
        System.out.println("dense " + Tensors.pull(worker, dense)[999]);
        TensorId table = Tensors.init(worker, TensorSpec.growing("t", 4).optimizer(Optimizers.add()));
        long[] keys = {7, -3, Long.MAX_VALUE};
        Tensors.pushRows(worker, table, keys, new float[] {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3})
                .await();
        float[] rows = new float[12];
        Tensors.pullRows(worker, table, keys, rows).await();
        System.out.println("rows " + rows[0] + " " + rows[4] + " " + rows[8]);
    }
}

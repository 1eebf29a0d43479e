package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.TensorId;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how long checkpoints delay pushes: of workers, which wait at each, and of a client, which does not. Prints
 * the numbers of docs/checkpoint.md. Arguments: the folder, MB of the model, the number of increments.
 */
public final class CutDelays {
    private static final int WIDTH = 64;
    private static final int TABLES = 8;
    private static final int STEPS = 400;
    private static final int INTERVAL = 100;

    private CutDelays() {}

    public static void main(String[] args) {
        Path folder = Path.of(args[0]);
        int megabytes = Integer.parseInt(args[1]);
        int increments = Integer.parseInt(args[2]);
        List<String> ways = List.of("none", "save", "loop", "none", "save", "loop", "none", "save", "loop");
        for (int run = 0; run < ways.size(); run++) {
            try (PsCluster cluster = PsCluster.builder()
                    .servers(2)
                    .workers(2)
                    .tcp()
                    .checkpoints(folder)
                    .start()) {
                measure(cluster, ways.get(run), "delays-" + run, megabytes, increments);
            }
        }
    }

    private static void measure(PsCluster cluster, String way, String model, int megabytes, int increments) {
        long rows = (long) megabytes * (1 << 20) / (2L * WIDTH * Float.BYTES * TABLES); // values, and one slot
        List<TensorId> tables = new ArrayList<>();
        for (int i = 0; i < TABLES; i++) {
            tables.add(Tensors.init(
                    cluster.worker(), TensorSpec.table("t" + i, rows, WIDTH).optimizer(Optimizers.adaGrad(0.1))));
            Tensors.push(cluster.worker(), tables.get(i), new float[(int) rows * WIDTH])
                    .await(); // makes the slot
        }
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Long> client = CompletableFuture.supplyAsync(() -> {
            ClusterCaller caller = cluster.client();
            long longest = 0;
            for (long step = 0; !ended.get(); step++) {
                long began = System.nanoTime();
                push(caller, tables.get((int) step % TABLES), rows, step);
                longest = Math.max(longest, System.nanoTime() - began);
            }
            return longest;
        });
        List<CompletableFuture<long[]>> workers = cluster.workers().stream()
                .map(worker -> CompletableFuture.supplyAsync(() -> train(worker, way, model, tables, rows, increments)))
                .toList();
        long[] ofWorker = workers.stream().map(CompletableFuture::join).toList().get(0);
        ended.set(true);
        System.out.printf(
                Locale.ROOT,
                "%-5s longest step of a worker %7.1f ms, median %5.2f ms; longest push of a client %7.1f ms%n",
                way,
                ofWorker[0] / 1e6,
                ofWorker[1] / 1e6,
                client.join() / 1e6);
    }

    private static void push(ClusterCaller caller, TensorId table, long rows, long step) {
        Random random = new Random(step);
        long first = random.nextInt((int) rows - 64);
        long[] keys = new long[64];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = first + i;
        }
        Tensors.pushRows(caller, table, keys, new float[64 * WIDTH]).await();
    }

    private static long[] train(
            Worker worker, String way, String model, List<TensorId> tables, long rows, int increments) {
        ModelCheckpoints checkpoints =
                ModelCheckpoints.at(worker, model).keep(1).incremental(increments);
        List<Long> times = new ArrayList<>();
        AtomicLong before = new AtomicLong();
        TrainingLoop.Step<RuntimeException> body = step -> {
            for (TensorId table : tables) {
                push(worker, table, rows, step + worker.rank());
            }
            long now = System.nanoTime();
            if (step > 1) { // the first one has waited for the checkpoint before it
                times.add(now - before.get());
            }
            before.set(now);
        };
        if (way.equals("loop")) {
            var unused = checkpoints.everySteps(INTERVAL).run(STEPS, body);
        } else {
            for (long step = 1; step <= STEPS; step++) {
                body.run(step);
                if (way.equals("save") && step % INTERVAL == 0) {
                    checkpoints.save(step, Map.of());
                }
            }
        }
        times.sort(null);
        return new long[] {times.get(times.size() - 1), times.get(times.size() / 2)};
    }
}

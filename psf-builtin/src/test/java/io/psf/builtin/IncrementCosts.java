package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.TensorId;
import io.psf.builtin.internal.checkpoint.SavedFiles;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Measures saves of a table of which few rows have changed. Prints the numbers of docs/checkpoint.md. Arguments: the
 * folder, rows of the table, floats in a row, runs of each case.
 */
public final class IncrementCosts {
    private static final TensorId TABLE = TensorId.of("table");

    private IncrementCosts() {}

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        int rows = Integer.parseInt(args[1]);
        int width = Integer.parseInt(args[2]);
        int runs = Integer.parseInt(args[3]);
        try (PsCluster cluster = PsCluster.builder()
                .servers(1)
                .lanes(1)
                .tcp()
                .checkpoints(folder)
                .start()) {
            Worker worker = cluster.worker();
            Tensors.init(worker, TensorSpec.table("table", rows, width).optimizer(Optimizers.adaGrad(0.1)));
            Tensors.push(worker, TABLE, new float[rows * width]).await(); // makes the slot
            ClusterCaller client = cluster.client();
            long step = 0;
            for (int touched : new int[] {-1, 0, 1_000, rows / 100, rows / 10}) {
                boolean whole = touched < 0;
                String model = "touched" + touched;
                ModelCheckpoints checkpoints =
                        ModelCheckpoints.at(worker, model).keep(1).incremental(whole ? 0 : runs);
                checkpoints.save(++step, Map.of());
                List<double[]> results = new ArrayList<>();
                for (int run = 0; run < runs; run++) {
                    push(worker, rows, width, whole ? 10_000 : touched, run);
                    results.add(save(client, checkpoints, ++step, new SavedFiles(folder, model).folder(step)));
                }
                System.out.printf(
                        Locale.ROOT,
                        "%d x %d, touched %s: save %s ms, longest call %s ms, %s MB; a file of as many bytes %s ms%n",
                        rows,
                        width,
                        whole ? "(all rows)" : touched,
                        text(results, 0),
                        text(results, 1),
                        text(results, 2),
                        text(results, 3));
            }
        }
    }

    private static void push(ClusterCaller worker, int rows, int width, int touched, long seed) {
        if (touched > 0) {
            long[] keys =
                    new Random(seed).longs(0, rows).distinct().limit(touched).toArray();
            float[] update = new float[touched * width];
            Arrays.fill(update, 0.5f + seed);
            Tensors.pushRows(worker, TABLE, keys, update).await();
        }
    }

    /** Returns the milliseconds of a save, those of the longest call of a client meanwhile, and the MB of the step. */
    private static double[] save(ClusterCaller client, ModelCheckpoints checkpoints, long step, Path folder)
            throws IOException {
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Long> longest = CompletableFuture.supplyAsync(() -> {
            long most = 0;
            byte[] present = new byte[1];
            for (int calls = 0; !ended.get(); calls++) {
                long began = System.nanoTime();
                Tensors.findRows(client, TABLE, new long[] {calls % 1000}, present)
                        .await();
                most = calls < 200 ? 0 : Math.max(most, System.nanoTime() - began);
                if (calls == 200) {
                    begun.complete(null);
                }
            }
            return most;
        });
        begun.join();
        long began = System.nanoTime();
        checkpoints.save(step, Map.of());
        double millis = (System.nanoTime() - began) / 1e6;
        ended.set(true);
        double delayed = longest.join() / 1e6;
        long bytes = bytes(folder);
        return new double[] {millis, delayed, bytes / 1e6, file(folder.resolve("plain"), bytes)};
    }

    private static long bytes(Path step) throws IOException {
        try (Stream<Path> files = Files.list(step)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    /** Returns the milliseconds that a plain file takes, with its bytes on the disk. */
    private static double file(Path file, long bytes) throws IOException {
        long began = System.nanoTime();
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 18);
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long left = bytes; left > 0; ) {
                some.clear().limit((int) Math.min(some.capacity(), left));
                left -= out.write(some);
            }
            out.force(true);
        }
        double millis = (System.nanoTime() - began) / 1e6;
        Files.delete(file);
        return millis;
    }

    private static String text(List<double[]> results, int of) {
        double[] sorted =
                results.stream().mapToDouble(each -> each[of]).sorted().toArray();
        return String.format(
                Locale.ROOT, "%.1f (%.1f..%.1f)", sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
    }
}

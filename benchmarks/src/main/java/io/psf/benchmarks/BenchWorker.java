package io.psf.benchmarks;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The worker of the benchmark: each case in turn, in each of its rounds first the floor and then psf, so that what the
 * machine does meanwhile touches both.
 */
final class BenchWorker {
    private static final int ROUNDS = 7;

    private final Worker worker;
    private final RawClient raw;
    private final List<Result> results = new ArrayList<>();

    private BenchWorker(Worker worker, RawClient raw) {
        this.worker = worker;
        this.raw = raw;
    }

    public static void main(String[] args) throws Exception {
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker());
                RawClient raw = new RawClient()) {
            BenchWorker bench = new BenchWorker(worker, raw);
            System.out.println(Result.heading());
            bench.run();
            Path json = Path.of(args[0]);
            Files.createDirectories(json.toAbsolutePath().getParent());
            Files.writeString(
                    json,
                    "[\n  "
                            + String.join(
                                    ",\n  ",
                                    bench.results.stream().map(Result::json).toList()) + "\n]\n",
                    StandardCharsets.UTF_8);
            System.out.println("written to " + json);
        }
    }

    private void run() throws Exception {
        latency("4 KB", 1 << 10, 2000);
        latency("1 MB", 1 << 18, 300);
        latency("16 MB", 1 << 22, 20);
        oneFloat(64, 20_000);
    }

    @FunctionalInterface
    private interface Exchange {
        void once() throws IOException;
    }

    private void latency(String size, int floats, int times) throws Exception {
        TensorId w = Tensors.init(worker, TensorSpec.dense("latency " + size, floats));
        float[] values = new float[floats];
        int bytes = 4 * floats;
        add(
                "push " + size,
                times,
                () -> raw.exchange(bytes, 48),
                () -> Tensors.push(worker, w, values).await());
        add(
                "pull " + size,
                times,
                () -> raw.exchange(48, bytes),
                () -> Tensors.pull(worker, w, values).await());
        Tensors.clear(worker, w);
    }

    private void add(String name, int times, Exchange floor, Exchange ours) throws IOException {
        micros(times, floor);
        micros(times, ours);
        micros(times, ours);
        double[] oursTook = new double[ROUNDS];
        double[] floorTook = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            floorTook[round] = micros(times, floor);
            oursTook[round] = micros(times, ours);
        }
        add(new Result(name + ", 1 outstanding", "us", oursTook, floorTook));
    }

    private static double micros(int times, Exchange exchange) throws IOException {
        long[] took = new long[times];
        for (int i = 0; i < times; i++) {
            long before = System.nanoTime();
            exchange.once();
            took[i] = System.nanoTime() - before;
        }
        java.util.Arrays.sort(took);
        return took[times / 2] / 1e3;
    }

    /** Requests a second: here more is better, so the ratio is the fraction of the floor. */
    private void oneFloat(int outstanding, int requests) throws Exception {
        TensorId w = Tensors.init(worker, TensorSpec.dense("one float", 1));
        double[] ours = new double[ROUNDS];
        double[] floor = new double[ROUNDS];
        for (int round = -2; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            raw.pipeline(requests, outstanding, 4, 4);
            long between = System.nanoTime();
            pushOneFloat(w, outstanding, requests);
            long end = System.nanoTime();
            if (round >= 0) {
                floor[round] = requests / ((between - begin) / 1e9);
                ours[round] = requests / ((end - between) / 1e9);
            }
        }
        add(new Result("push 1 float, 64 outstanding", "requests/s", ours, floor));
    }

    private void pushOneFloat(TensorId w, int outstanding, int requests) {
        Deque<Pending<?>> pending = new ArrayDeque<>();
        float[] one = {1};
        for (int i = 0; i < requests; i++) {
            if (pending.size() == outstanding) {
                pending.remove().await();
            }
            pending.add(Tensors.push(worker, w, one));
        }
        pending.forEach(Pending::await);
    }

    private void add(Result result) {
        results.add(result);
        System.out.println(result.row());
    }
}

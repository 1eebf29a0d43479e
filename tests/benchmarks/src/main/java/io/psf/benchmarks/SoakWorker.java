package io.psf.benchmarks;

import io.psf.api.TensorId;
import io.psf.benchmarks.DenseCalls.Kind;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * One of two workers that put a mixed load on a server for a long time: dense and sparse calls, small and large, with
 * tensors that are created and cleared. Worker 0 samples the memory of the server and of its own process meanwhile.
 */
final class SoakWorker {
    /** The minimum duration; a shorter run is not meaningful. */
    static final Duration SHORTEST = Duration.ofSeconds(30);

    private static final int OUTSTANDING = 8;
    private static final String ROW = "%7s %12s %12s %12s %14s %12s %12s %14s";

    /** A sample of the memory of the server and of a worker. */
    private record Sample(Memory.Response server, Memory.Response worker) {}

    private final Worker worker;
    private final long begin = System.nanoTime();
    private final long duration;
    private final List<Sample> samples = new ArrayList<>();
    private long made;

    private SoakWorker(Worker worker, Duration duration) {
        this.worker = worker;
        this.duration = duration.toNanos();
    }

    /** Starts the processes and waits for them. Returns the exit code, 0 if memory stayed flat. */
    static int run(Transport transport, Duration duration, @Nullable Recordings recordings) throws IOException {
        BenchJob job =
                new BenchJob("soak", SoakWorker.class, 2, transport, Placement.FREE, List.of(), Map.of(), recordings);
        return job.run(duration.plusMinutes(10), System.out::println, duration.toString());
    }

    public static void main(String[] args) {
        boolean flat;
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            SoakWorker soak = new SoakWorker(worker, Duration.parse(args[0]));
            soak.load();
            worker.barrier();
            flat = worker.rank() > 0 || soak.isFlat();
        }
        if (!flat) {
            System.exit(1);
        }
    }

    private void load() {
        List<Calls> loads = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            loads.add(new DenseCalls(worker, kind, 4 << 10, OUTSTANDING));
            loads.add(new DenseCalls(worker, kind, 1 << 20, OUTSTANDING));
        }
        long[][] keys = Keys.ZIPF.draw(SparseCalls.ROWS, SparseCalls.KEYS);
        for (boolean push : new boolean[] {true, false}) {
            loads.add(new SparseCalls(worker, push, SparseCalls.table(16, Optimizers.adam(0.001)), keys, OUTSTANDING));
        }
        Random random = new Random(worker.rank());
        long between = Math.min(Duration.ofMinutes(1).toNanos(), duration / (2 * Trend.LEAST));
        long next = begin + between;
        if (worker.rank() == 0) {
            System.out.println("MB after a collection; resident is what the system says");
            System.out.println(ROW.formatted(
                    "seconds", "calls", "server heap", "direct", "resident", "worker heap", "direct", "resident"));
        }
        while (System.nanoTime() - begin < duration) {
            Calls calls = loads.get(random.nextInt(loads.size()));
            made += Calls.make(calls, OUTSTANDING, sent -> sent < 4 * OUTSTANDING);
            comeAndGo();
            if (worker.rank() == 0 && System.nanoTime() - next >= 0) {
                sample();
                next += between;
            }
        }
    }

    private void comeAndGo() {
        TensorId tensor = Tensors.init(
                worker, TensorSpec.table("of worker " + worker.rank(), 1000, 16).optimizer(Optimizers.adam(0.001)));
        Tensors.push(worker, tensor, new float[16_000]).await();
        Tensors.clear(worker, tensor);
        TensorId growing = Tensors.init(worker, TensorSpec.growing("growing of worker " + worker.rank(), 16));
        long[] keys = new SplittableRandom(made).longs(1000).toArray();
        Tensors.pushRows(worker, growing, keys, new float[16_000]).await();
        Tensors.clear(worker, growing);
    }

    private void sample() {
        Memory.Response server = MemoryPsf.stub(worker).call(true).await();
        Memory.Response here = ThisProcess.memory(true);
        samples.add(new Sample(server, here));
        System.out.println(ROW.formatted(
                (System.nanoTime() - begin) / 1_000_000_000,
                made,
                server.heap() >> 20,
                server.direct() >> 20,
                server.resident() >> 20,
                here.heap() >> 20,
                here.direct() >> 20,
                here.resident() >> 20));
    }

    private boolean isFlat() {
        boolean flat = isFlat("server heap", s -> s.server().heap());
        flat &= isFlat("server direct", s -> s.server().direct());
        flat &= isFlat("server resident", s -> s.server().resident());
        flat &= isFlat("worker heap", s -> s.worker().heap());
        flat &= isFlat("worker direct", s -> s.worker().direct());
        flat &= isFlat("worker resident", s -> s.worker().resident());
        return flat;
    }

    private boolean isFlat(String what, ToDoubleFunction<Sample> figure) {
        boolean flat = Trend.isFlat(samples.stream().mapToDouble(figure).toArray(), 0.05, 32 << 20);
        System.out.println(what + (flat ? ": flat" : ": GREW"));
        return flat;
    }
}

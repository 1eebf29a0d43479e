package io.psf.benchmarks;

import io.psf.benchmarks.DenseCalls.Kind;
import io.psf.builtin.Optimizers;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures many workers, as threads of one process. In each round 1, then 4, 16 and 64 workers run. The floor is the
 * rate of one worker in the same round, while the others are connected and idle. The goal for the server's memory is to
 * stay flat.
 */
final class ScalingWorkers implements AutoCloseable {
    /** The number of workers. */
    static final int MOST = 64;

    private static final int[] AT_ONCE = {1, 4, 16, MOST};
    private static final int OUTSTANDING = 4;
    private static final Line MEMORY =
            new Line("growth of the server's memory by " + MOST + " workers at work", "MB", Goal.oursAtMost(32));

    /** The load of the workers. */
    private enum Load {
        PUSH("workers pushing 1 MB", "MB/s", (1 << 20) / 1e6),
        PULL_ROWS("workers pulling rows 16 wide, uniform", "Mrows/s", SparseCalls.KEYS / 1e6);

        final String label;
        final String unit;
        final double each;

        Load(String label, String unit, double each) {
            this.label = label;
            this.unit = unit;
            this.each = each;
        }

        /** Returns a line for each number of workers above one. */
        List<Line> lines() {
            return Arrays.stream(AT_ONCE)
                    .skip(1)
                    .mapToObj(n -> new Line(n + " " + label, unit, Goal.ratioAtLeast(0.8)))
                    .toList();
        }

        Calls calls(Worker worker) {
            return switch (this) {
                case PUSH -> new DenseCalls(worker, Kind.PUSH, 1 << 20, OUTSTANDING);
                case PULL_ROWS ->
                    new SparseCalls(
                            worker,
                            false,
                            SparseCalls.table(16, Optimizers.add()),
                            Keys.UNIFORM.draw(SparseCalls.ROWS, SparseCalls.KEYS),
                            OUTSTANDING);
            };
        }
    }

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Plan plan;
    private final List<Worker> workers;

    private ScalingWorkers(WorkerConfig config, Plan plan) throws Exception {
        this.plan = plan;
        this.workers = all(IntStream.range(0, MOST)
                .mapToObj(rank -> (Callable<Worker>) () -> Worker.connect(config.withRank(rank)))
                .toList());
    }

    static List<Case> cases() {
        return Stream.concat(
                        Arrays.stream(Load.values()).map(load -> named(load.lines())),
                        Stream.of(named(List.of(MEMORY))))
                .toList();
    }

    private static Case named(List<Line> lines) {
        return new Case(lines, bench -> {
            throw new UnsupportedOperationException(lines.get(0).name() + ": measured by several workers");
        });
    }

    public static void main(String[] args) throws Exception {
        WorkerTask task = WorkerTask.parse(args);
        List<Line> wanted =
                task.cases().stream().flatMap(c -> c.lines().stream()).toList();
        try (ScalingWorkers scaling =
                new ScalingWorkers(Settings.fromEnvironment().worker(), task.plan())) {
            for (Load load : Load.values()) {
                if (wanted.containsAll(load.lines())) {
                    scaling.measure(load).forEach(WorkerTask::tell);
                }
            }
            if (wanted.contains(MEMORY)) {
                WorkerTask.tell(scaling.growth());
            }
        }
    }

    private List<Result> measure(Load load) throws Exception {
        List<Calls> calls = workers.stream().map(load::calls).toList();
        double[][] rates = new double[AT_ONCE.length][plan.rounds()];
        double unused = rate(load, calls, plan.warmMillis());
        for (int round = 0; round < plan.rounds(); round++) {
            for (int i = 0; i < AT_ONCE.length; i++) {
                rates[i][round] = rate(load, calls.subList(0, AT_ONCE[i]), 2 * plan.roundMillis());
            }
        }
        calls.get(0).close();
        List<Result> results = new ArrayList<>();
        for (int i = 1; i < AT_ONCE.length; i++) {
            results.add(new Result(load.lines().get(i - 1), rates[i], rates[0]));
        }
        return results;
    }

    /** Measures the growth of the server's resident memory in rounds of pushes, after a warm-up of all workers. */
    private Result growth() throws Exception {
        List<Calls> calls = workers.stream().map(Load.PUSH::calls).toList();
        MemoryPsf.Stub memory = MemoryPsf.stub(workers.get(0));
        double unused = rate(Load.PUSH, calls, 2 * plan.warmMillis());
        double before = memory.call(true).await().resident();
        double[] grown = new double[plan.rounds()];
        for (int round = 0; round < grown.length; round++) {
            unused += rate(Load.PUSH, calls, 2 * plan.roundMillis());
            grown[round] = (memory.call(true).await().resident() - before) / (1 << 20);
        }
        calls.get(0).close();
        double[] none = new double[grown.length];
        Arrays.fill(none, Double.NaN);
        return new Result(MEMORY, grown, none);
    }

    /** Returns the rate of all workers together, per second. */
    private double rate(Load load, List<Calls> calls, int millis) throws Exception {
        long begin = System.nanoTime();
        List<Integer> made = all(calls.stream()
                .map(each -> (Callable<Integer>)
                        () -> Calls.make(each, OUTSTANDING, sent -> System.nanoTime() - begin < millis * 1_000_000L))
                .toList());
        int total = made.stream().mapToInt(Integer::intValue).sum();
        return load.each * total / ((System.nanoTime() - begin) / 1e9);
    }

    private <T> List<T> all(List<Callable<T>> work) throws Exception {
        List<T> done = new ArrayList<>();
        for (Future<T> future : threads.invokeAll(work)) {
            try {
                done.add(future.get());
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
        return done;
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
        threads.shutdownNow();
    }
}

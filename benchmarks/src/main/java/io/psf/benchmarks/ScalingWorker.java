package io.psf.benchmarks;

import io.psf.api.TensorId;
import io.psf.benchmarks.DenseCalls.Kind;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One of several workers: in each round first one works, then two, then four, and each time all come to a barrier. What
 * each has reached is added up in a tensor; the floor is what one reaches alone.
 */
final class ScalingWorker {
    /** How many there are. */
    static final int MOST = 4;

    private static final int[] AT_ONCE = {1, 2, 4};
    private static final int OUTSTANDING = 4;

    /** What they do. */
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

        /** A line for each number of workers above one. */
        List<Line> lines() {
            return Arrays.stream(AT_ONCE)
                    .skip(1)
                    .mapToObj(n -> new Line(n + " " + label, unit, null))
                    .toList();
        }

        Case toCase() {
            return new Case(lines(), bench -> {
                throw new UnsupportedOperationException(label + ": measured by several workers");
            });
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

    private final Worker worker;
    private final Plan plan;

    private ScalingWorker(Worker worker, Plan plan) {
        this.worker = worker;
        this.plan = plan;
    }

    static List<Case> cases() {
        return Arrays.stream(Load.values()).map(Load::toCase).toList();
    }

    public static void main(String[] args) {
        WorkerTask task = WorkerTask.parse(args);
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            ScalingWorker scaling = new ScalingWorker(worker, task.plan());
            for (Load load : Load.values()) {
                if (task.cases().stream().anyMatch(c -> c.lines().equals(load.lines()))) {
                    scaling.measure(load).forEach(WorkerTask::tell);
                }
            }
        }
    }

    /** The results, of worker 0; the others have none. */
    private List<Result> measure(Load load) {
        Calls calls = load.calls(worker);
        TensorId rates = Tensors.init(worker, TensorSpec.dense("rates", plan.rounds(), AT_ONCE.length));
        double unused = rate(load, calls, plan.warmMillis());
        float[] own = new float[plan.rounds() * AT_ONCE.length];
        for (int i = 0; i < own.length; i++) {
            worker.barrier();
            if (worker.rank() < AT_ONCE[i % AT_ONCE.length]) {
                own[i] = (float) rate(load, calls, 2 * plan.roundMillis());
            }
        }
        Tensors.push(worker, rates, own).await();
        worker.barrier();
        List<Result> results = new ArrayList<>();
        if (worker.rank() == 0) {
            float[] all = Tensors.pull(worker, rates);
            for (int i = 1; i < AT_ONCE.length; i++) {
                results.add(new Result(load.lines().get(i - 1), column(all, i), column(all, 0)));
            }
            calls.close();
            Tensors.clear(worker, rates);
        }
        worker.barrier();
        return results;
    }

    private double rate(Load load, Calls calls, int millis) {
        long begin = System.nanoTime();
        int made = Calls.make(calls, OUTSTANDING, sent -> System.nanoTime() - begin < millis * 1_000_000L);
        return load.each * made / ((System.nanoTime() - begin) / 1e9);
    }

    private double[] column(float[] all, int column) {
        double[] figures = new double[plan.rounds()];
        for (int round = 0; round < figures.length; round++) {
            figures[round] = all[round * AT_ONCE.length + column];
        }
        return figures;
    }
}

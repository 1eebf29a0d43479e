package io.psf.acceptance;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Ssp;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What worker processes of the tests run: the first argument says what. */
public final class WorkerMain {
    private WorkerMain() {}

    public static void main(String[] args) {
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            switch (args[0]) {
                case "dense" -> {
                    TrainingTest.synchronousRounds(worker, 2, 3);
                    TensorId w = TensorId.of("w");
                    worker.barrier();
                    if (worker.rank() == 0) {
                        Tensors.clear(worker, w);
                    }
                    worker.barrier();
                    TrainingTest.synchronousRounds(worker, 1200, 1200);
                }
                case "sparse" -> TrainingTest.sparseCounts(worker);
                case "hello" -> hello(worker);
                case "pull" -> pullUntilItFails(worker);
                case "push" -> pushTogether(worker);
                case "ssp" -> tickTogether(worker);
                case "model" -> saveTogether(worker);
                case "save", "load" -> train(worker, args[0].equals("load"));
                default -> throw new IllegalArgumentException("work: " + args[0]);
            }
            System.out.println("DONE");
        }
    }

    private static void hello(Worker worker) {
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10).initializer(Initializers.constant(5)));
        System.out.println("PULLED " + Arrays.toString(Tensors.pull(worker, w)));
        worker.barrier();
    }

    /** Worker 0 trains, from the beginning or from what was saved in the middle, and saves in the middle. */
    private static void train(Worker worker, boolean load) {
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", 11, 2).optimizer(Optimizers.adam(0.1)));
        if (worker.rank() == 0) {
            float[] gradient = new float[22];
            Arrays.fill(gradient, 0.3f);
            if (load) {
                Tensors.load(worker, w, "run/middle");
            } else {
                Tensors.push(worker, w, gradient).await();
                Tensors.save(worker, w, "run/middle");
            }
            Tensors.pushRows(worker, w, new long[] {7, 0}, new float[] {1, 2, 3, 4})
                    .await();
            Tensors.push(worker, w, gradient).await();
            System.out.println("PULLED " + Arrays.toString(Tensors.pull(worker, w)));
        }
        worker.barrier();
    }

    /** Rank 1 is killed during the save of step 2: rank 0 learns that it is complete, and saves alone then. */
    private static void saveTogether(Worker worker) {
        for (String tensor : List.of("a", "b", "c", "d", "e", "f")) {
            Tensors.init(worker, TensorSpec.dense(tensor, 1_000_000, 8));
        }
        ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "run").keep(5);
        checkpoints.save(1, Map.of("rank", "" + worker.rank()));
        checkpoints.save(2, Map.of("rank", "" + worker.rank()));
        if (worker.rank() == 1) {
            worker.barrier(); // it is killed before
            return;
        }
        checkpoints.save(3, Map.of("rank", "alone"));
        System.out.println("SAVED "
                + checkpoints.list().stream()
                        .map(each -> each.step() + " " + each.record(0) + each.record(1))
                        .toList());
    }

    private static void pullUntilItFails(Worker worker) {
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000, 10));
        worker.barrier();
        System.out.println("READY");
        try {
            while (true) {
                Tensors.pull(worker, w);
            }
        } catch (PsException e) {
            System.out.println("FAILED " + e.getMessage());
        }
    }

    /** Rank 1 stops ticking and is killed: rank 0 goes on by itself then. */
    private static void tickTogether(Worker worker) {
        Ssp ssp = Ssp.join(worker, 7, 1);
        ssp.tick();
        worker.barrier();
        System.out.println("READY");
        if (worker.rank() == 1) {
            worker.barrier(); // rank 0 comes only when this one is dead
        }
        for (int clock = 2; clock <= 20; clock++) {
            ssp.tick();
        }
        worker.barrier();
    }

    private static void pushTogether(Worker worker) {
        TensorId w = Tensors.init(
                worker, TensorSpec.dense("w", 10).optimizer(Optimizers.add()).updates(Updates.SUM));
        worker.barrier();
        System.out.println("READY");
        float[] ones = new float[10];
        Arrays.fill(ones, 1);
        // Rank 1 is killed on its way; rank 0 goes on by itself when that has happened.
        float pulled = 0;
        int alone = 0;
        while (alone < 20) {
            Tensors.push(worker, w, ones).await();
            float now = Tensors.pull(worker, w)[0];
            alone = now - pulled == 1 ? alone + 1 : 0;
            pulled = now;
        }
        worker.barrier();
    }
}

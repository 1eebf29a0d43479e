package io.psf.acceptance;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker of an asynchronous training loop: each step counts the next two samples of its rank. Prints its steps, and
 * at the end for each rank how many samples count once, and how many otherwise: {@code SAMPLES 240 0 240 0 198 0}.
 */
public final class SampleCountsMain {
    private static final int RANKS = 3;

    private SampleCountsMain() {}

    public static void main(String[] args) {
        int steps = Integer.parseInt(args[0]);
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            TensorId counts =
                    Tensors.init(worker, TensorSpec.growing("counts", 1).optimizer(Optimizers.add()));
            long first = 1_000_000L * worker.rank();
            long[] next = {0};
            long end = ModelCheckpoints.at(worker, "samples")
                    .everySteps(10)
                    .record(() -> Map.of("next", "" + next[0]), saved -> next[0] = Long.parseLong(saved.get("next")))
                    .run(steps, step -> {
                        long[] keys = {first + next[0]++, first + next[0]++};
                        Tensors.pushRows(worker, counts, keys, new float[] {1, 1});
                        System.out.println("STEP " + step);
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                    });
            System.out.println("ENDED " + end);
            if (end == steps) {
                System.out.println("SAMPLES" + samples(worker, counts, 2 * steps));
                worker.barrier();
            }
        }
    }

    private static String samples(Worker worker, TensorId counts, int most) {
        StringBuilder text = new StringBuilder();
        for (int rank = 0; rank < RANKS; rank++) {
            long[] keys = new long[most];
            for (int i = 0; i < most; i++) {
                keys[i] = 1_000_000L * rank + i;
            }
            float[] values = new float[most];
            Tensors.pullRows(worker, counts, keys, values).await();
            int last = most;
            while (last > 0 && values[last - 1] == 0) {
                last--;
            }
            int once = 0;
            for (int i = 0; i < last; i++) {
                once += values[i] == 1 ? 1 : 0;
            }
            text.append(' ').append(once).append(' ').append(last - once);
        }
        return text.toString();
    }
}

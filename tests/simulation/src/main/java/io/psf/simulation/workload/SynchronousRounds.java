package io.psf.simulation.workload;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Worker;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Workers push in rounds. After its push of a round, each of them sees exactly the pushes of all workers to that round.
 */
public final class SynchronousRounds implements Workload {
    private static final int ROWS = 24;

    @Override
    public String name() {
        return "rounds";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, random.nextBoolean() ? Shape.Recovery.JOURNAL : Shape.Recovery.NONE);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape), Faults.LOSSES);
    }

    @Override
    public void run(World world) throws Exception {
        TensorId sums = Tensors.init(
                world.workers().get(0).get(),
                TensorSpec.dense("sums", ROWS)
                        .updates(Updates.SUM)
                        .slices(world.shape().servers() + world.random("slices").nextInt(3)));
        Team.run(world, (rank, worker) -> push(world, worker, sums));
    }

    private static void push(World world, Worker worker, TensorId sums) throws InterruptedException {
        float[] ones = new float[ROWS];
        Arrays.fill(ones, 1);
        for (int round = 1; round <= world.calls(); round++) {
            world.think();
            long began = world.machine().millis();
            Tensors.push(worker, sums, ones).await();
            Team.requireInTime(world, began);
            float[] values = Tensors.pull(worker, sums);
            int all = round * world.workers().size();
            // The next round waits for this worker. A lost worker is not waited for.
            int least = world.mayLose() ? round : all;
            for (float each : values) {
                if (each < least || each > all) {
                    throw new Violation("worker " + worker.rank() + " after its push of round " + round + ": " + each
                            + " (expected: " + least + " to " + all + ")");
                }
            }
        }
        Tensors.endPushes(worker, sums);
    }
}

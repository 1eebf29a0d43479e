package io.psf.simulation.workload;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
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
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Workers train with checkpoints, while servers are lost and come back. All go back to a checkpoint together, with
 * their records of it, and the model at the end equals the model of an undisturbed training.
 */
public final class Training implements Workload {
    private static final int ROWS = 24;

    private final Set<Integer> finished = new TreeSet<>();

    @Override
    public String name() {
        return "training";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, Shape.Recovery.CHECKPOINTS).withServers(2);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape), Faults.RETURNS, Faults.RETURNS, Faults.RETURNS);
    }

    @Override
    public void run(World world) throws Exception {
        TensorSpec model = TensorSpec.dense("model", ROWS)
                .updates(Updates.SUM)
                .slices(world.shape().servers() + world.random("slices").nextInt(3));
        int interval = 1 + world.random("interval").nextInt(8);
        boolean leave =
                world.random("end").nextBoolean(); // if not, a worker that comes back finds the others at the end
        Team.runQuietly(world, (rank, worker) -> {
            train(world, worker, model, interval);
            finished.add(rank);
            if (leave && finished.size() < world.workers().size()) { // the cluster ends with the last one
                Team.leave(world, worker);
            }
        });
    }

    private static void train(World world, Worker worker, TensorSpec model, int interval) throws InterruptedException {
        TensorId tensor = Tensors.init(worker, model);
        long[] position = new long[1];
        ModelCheckpoints.at(worker, "model")
                .everySteps(interval)
                .record(
                        () -> Map.of("position", String.valueOf(position[0])),
                        saved -> position[0] = Long.parseLong(saved.get("position")))
                .run(world.calls(), step -> {
                    if (position[0] != step - 1) {
                        throw new Violation("worker " + worker.rank() + " at step " + step + ": position " + position[0]
                                + " (expected: " + (step - 1) + ")");
                    }
                    world.beginFaults(); // the first checkpoint is there
                    world.think();
                    float[] update = new float[ROWS];
                    Arrays.fill(update, (float) (step * (worker.rank() + 1)));
                    Tensors.push(worker, tensor, update).await();
                    position[0] = step;
                });
        check(world, Tensors.pull(worker, tensor), worker.rank());
    }

    private static void check(World world, float[] values, int rank) {
        long steps = (long) world.calls() * (world.calls() + 1) / 2;
        long weights = (long) world.workers().size() * (world.workers().size() + 1) / 2;
        for (float each : values) {
            if (each != steps * weights) {
                throw new Violation("model of worker " + rank + " after the training: " + Arrays.toString(values)
                        + " (expected: " + steps * weights + ", as undisturbed)");
            }
        }
    }
}

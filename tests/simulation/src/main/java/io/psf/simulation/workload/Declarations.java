package io.psf.simulation.workload;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Workers declare tensors, each of them the same ones, while the scheduler comes and goes. Each tensor is there once,
 * with its pushes.
 */
public final class Declarations implements Workload {
    @Override
    public String name() {
        return "declarations";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, Shape.Recovery.JOURNAL);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape), Faults.ofScheduler(shape));
    }

    @Override
    public void run(World world) throws Exception {
        Team.run(world, (rank, worker) -> declare(world, worker));
        if (!world.mayLose()) {
            check(world, world.workers().get(0).get());
        }
    }

    private static TensorSpec spec(int number) {
        return TensorSpec.dense("tensor-" + number, 1 + number % 5);
    }

    private static void declare(World world, Worker worker) throws InterruptedException {
        for (int number = 0; number < world.calls(); number++) {
            world.think();
            TensorId tensor = Tensors.init(worker, spec(number));
            float[] update = new float[1 + number % 5];
            update[0] = 1;
            Tensors.push(worker, tensor, update).await();
        }
    }

    private static void check(World world, Worker worker) {
        for (int number = 0; number < world.calls(); number++) {
            TensorId tensor = TensorId.of("tensor-" + number);
            float found = Tensors.pull(worker, tensor)[0];
            if (found != world.workers().size()) {
                throw new Violation("pushes of tensor " + tensor + ": " + found + " (expected: "
                        + world.workers().size() + ", one of each worker)");
            }
        }
    }
}

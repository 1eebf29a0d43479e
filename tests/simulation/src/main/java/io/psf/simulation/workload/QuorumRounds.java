package io.psf.simulation.workload;

import io.psf.api.TensorId;
import io.psf.builtin.Late;
import io.psf.builtin.Rounds;
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
import java.util.List;
import java.util.SplittableRandom;

/**
 * Workers push in rounds that close without the slowest. At the end each push is in the sum once, or was dropped as
 * late and counted as such.
 */
public final class QuorumRounds implements Workload {
    private int pushes;

    @Override
    public String name() {
        return "quorum";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, Shape.Recovery.NONE).withWorkers(2);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.HARMLESS;
    }

    @Override
    public void run(World world) throws Exception {
        Worker first = world.workers().get(0).get();
        SplittableRandom random = world.random("quorum");
        Late late = random.nextBoolean() ? Late.DROP : Late.NEXT;
        int quorum = 1 + random.nextInt(world.workers().size());
        TensorId sum = Tensors.init(
                first, TensorSpec.dense("sum", 1).updates(Updates.SUM).quorum(quorum, late));
        Team.run(world, (rank, worker) -> push(world, worker, sum));
        if (!world.mayLose()) {
            Rounds rounds = Tensors.rounds(first, sum);
            long dropped = late == Late.NEXT
                    ? 0
                    : rounds.late().values().stream().mapToLong(each -> each).sum();
            float value = Tensors.pull(first, sum)[0];
            if (value != pushes - dropped) {
                throw new Violation("sum with a quorum of " + quorum + ": " + value + " (expected: " + pushes
                        + " pushes without " + dropped + " late ones)");
            }
        }
    }

    private void push(World world, Worker worker, TensorId sum) throws InterruptedException {
        for (int round = 0; round < world.calls(); round++) {
            world.think();
            Tensors.push(worker, sum, new float[] {1}).await();
            pushes++;
        }
        Tensors.endPushes(worker, sum);
    }
}

package io.psf.simulation.workload;

import io.psf.runtime.Worker;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.util.List;
import java.util.SplittableRandom;

/** Workers meet. No worker leaves a barrier before every worker that is present has come to it. */
public final class Barriers implements Workload {
    private int[] reached = {};
    private boolean[] isGone = {};

    @Override
    public String name() {
        return "barriers";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, random.nextBoolean() ? Shape.Recovery.JOURNAL : Shape.Recovery.NONE)
                .withWorkers(2);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return shape.recovery() == Shape.Recovery.NONE
                ? Faults.of(Faults.HARMLESS, Faults.WORKERS)
                : Faults.ofSchedulersProcess(shape);
    }

    @Override
    public void run(World world) throws Exception {
        reached = new int[world.workers().size()];
        isGone = new boolean[reached.length];
        Team.run(world, (rank, worker) -> {
            try {
                meet(world, rank, worker);
            } finally {
                isGone[rank] = true;
            }
        });
    }

    private void meet(World world, int rank, Worker worker) throws InterruptedException {
        for (int number = 1; number <= world.calls(); number++) {
            world.think();
            reached[rank] = number;
            worker.barrier();
            for (int other = 0; other < reached.length; other++) {
                if (reached[other] < number && !isGone[other] && !world.mayLose()) {
                    throw new Violation("worker " + rank + " has passed barrier " + number + ", worker " + other
                            + " has come to " + reached[other] + " (expected: all)");
                }
            }
        }
    }
}

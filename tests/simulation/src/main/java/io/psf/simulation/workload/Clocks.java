package io.psf.simulation.workload;

import io.psf.builtin.Ssp;
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

/** Workers tick SSP clocks. None is more than the staleness ahead of the slowest. */
public final class Clocks implements Workload {
    private long[] begun = {};

    @Override
    public String name() {
        return "clocks";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, random.nextBoolean() ? Shape.Recovery.JOURNAL : Shape.Recovery.NONE)
                .withWorkers(2);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape), Faults.WORKERS);
    }

    @Override
    public void run(World world) throws Exception {
        begun = new long[world.workers().size()];
        int staleness = world.random("staleness").nextInt(4);
        Team.run(world, (rank, worker) -> tick(world, rank, worker, staleness));
    }

    private void tick(World world, int rank, Worker worker, int staleness) throws InterruptedException {
        Ssp clock = Ssp.join(worker, 7, rank, begun.length, staleness);
        for (int i = 1; i <= world.calls(); i++) {
            world.think();
            begun[rank] = i; // the call may arrive now
            clock.tick();
            long slowest = Arrays.stream(begun).min().orElse(0);
            if (slowest < i - staleness && !world.mayLose()) {
                throw new Violation("worker " + rank + " has clock " + i + ", the slowest " + slowest
                        + " (expected: at most " + staleness + " behind)");
            }
        }
    }
}

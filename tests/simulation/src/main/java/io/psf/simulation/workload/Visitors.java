package io.psf.simulation.workload;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.SimulatedNode;
import io.psf.simulation.world.Tasks;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Clients come, push, and go; some are killed. The sum has the acknowledged pushes once, and of each client that was
 * killed at most one more.
 */
public final class Visitors implements Workload {
    private int acknowledged;
    private int killed;

    @Override
    public String name() {
        return "visitors";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, Shape.Recovery.NONE);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.HARMLESS;
    }

    @Override
    public void run(World world) throws Exception {
        var first = world.workers().get(0).get();
        TensorId sum = Tensors.init(first, TensorSpec.dense("sum", 1));
        SplittableRandom random = world.random("visits");
        world.beginFaults();
        Tasks visits = new Tasks();
        for (int number = 0; number < 1 + world.calls() / 8; number++) {
            world.think();
            SimulatedNode<Client> client = world.client();
            int pushes = 1 + random.nextInt(8);
            boolean isKilled = random.nextInt(3) == 0;
            visits.on(client.threads(), () -> visit(world, client.get(), sum, pushes));
            if (isKilled) {
                Thread.sleep(random.nextInt(20));
                killed++;
                world.kill(client.name(), random.nextBoolean());
            }
        }
        visits.await();
        float value = Tensors.pull(first, sum)[0];
        if (value < acknowledged || value > acknowledged + killed) {
            throw new Violation("sum: " + value + " (expected: " + acknowledged
                    + " acknowledged pushes, and at most one of each" + " of " + killed + " killed clients)");
        }
    }

    private void visit(World world, Client client, TensorId sum, int pushes) throws InterruptedException {
        for (int i = 0; i < pushes; i++) {
            world.think();
            Tensors.push(client, sum, new float[] {1}).await();
            acknowledged++;
        }
        client.close();
    }
}

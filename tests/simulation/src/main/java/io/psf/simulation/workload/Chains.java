package io.psf.simulation.workload;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.Chain;
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
 * Workers send a pull, a push and a pull as a chain. Between the two pulls of a slice runs the push of the chain, and
 * no other. A pull runs again if its connection breaks. So on clusters of several servers, whose connections break,
 * only the second pull is checked: it has the worker's own pushes.
 */
public final class Chains implements Workload {
    private static final int ROWS = 24;

    @Override
    public String name() {
        return "chains";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, Shape.Recovery.NONE).withWorkers(2);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return isExact(shape) ? Faults.DELAYS : Faults.of(Faults.HARMLESS, Faults.WORKERS);
    }

    @Override
    public void run(World world) throws Exception {
        TensorId tensor = Tensors.init(
                world.workers().get(0).get(),
                TensorSpec.dense("tensor", ROWS)
                        .slices(world.shape().servers() + world.random("slices").nextInt(3)));
        Team.run(world, (rank, worker) -> send(world, worker, tensor));
    }

    private static boolean isExact(Shape shape) {
        return shape.servers() == 1;
    }

    private static void send(World world, Worker worker, TensorId tensor) throws InterruptedException {
        float[] ones = new float[ROWS];
        Arrays.fill(ones, 1);
        for (int i = 0; i < world.calls(); i++) {
            world.think();
            Chain chain = worker.chain();
            Pending<DensePull.Response> before = DensePullPsf.stub(chain).call(tensor);
            Pending<?> push = DensePushPsf.stub(chain).call(tensor, FloatArray.wrap(ones));
            Pending<DensePull.Response> after = DensePullPsf.stub(chain).call(tensor);
            chain.send();
            push.await();
            boolean isExact = isExact(world.shape());
            for (int row = 0; row < ROWS; row++) {
                float first = before.await().values().get(row);
                float second = after.await().values().get(row);
                if (second < i + 1 || isExact && second != first + 1) {
                    throw new Violation("chain " + i + " of worker " + worker.rank() + ", row " + row + ": " + first
                            + ", then " + second + " (expected: its push between them)");
                }
            }
        }
    }
}

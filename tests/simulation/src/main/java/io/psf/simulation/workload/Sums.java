package io.psf.simulation.workload;

import io.psf.api.Pending;
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
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Workers push ones to all elements, several at a time, and pull. Each element has at least the pushes that were
 * acknowledged, and at most the pushes that were sent.
 */
public final class Sums implements Workload {
    private static final int ROWS = 48;

    private int sent;
    private int acknowledged;

    @Override
    public String name() {
        return "sums";
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
                        .slices(world.shape().servers() + world.random("slices").nextInt(4)));
        int window = 1 + world.random("window").nextInt(8);
        Team.run(world, (rank, worker) -> push(world, worker, sums, window));
        if (!world.mayLose()) {
            check(Tensors.pull(world.workers().get(0).get(), sums));
        }
    }

    private void push(World world, Worker worker, TensorId sums, int window) throws InterruptedException {
        float[] ones = new float[ROWS];
        Arrays.fill(ones, 1);
        Deque<Pending<?>> pending = new ArrayDeque<>();
        for (int number = 0; number < world.calls(); number++) {
            world.think();
            sent++;
            pending.add(Tensors.push(worker, sums, ones));
            if (pending.size() > window) {
                acknowledge(world, pending.remove());
            }
            if (number % 5 == 4) {
                int least = acknowledged + pending.size(); // a pull runs behind the worker's own pushes
                float[] values = Tensors.pull(worker, sums);
                check(values, least, sent);
            }
        }
        while (!pending.isEmpty()) {
            acknowledge(world, pending.remove());
        }
    }

    private void acknowledge(World world, Pending<?> push) {
        long began = world.machine().millis();
        push.await();
        acknowledged++;
        Team.requireInTime(world, began);
    }

    private void check(float[] values) {
        check(values, sent, sent);
    }

    private static void check(float[] values, int least, int most) {
        for (int row = 0; row < values.length; row++) {
            if (values[row] < least || values[row] > most) {
                throw new Violation("sum of row " + row + ": " + values[row] + " (expected: " + least + " to " + most
                        + ", one for each push)");
            }
        }
    }
}

package io.psf.simulation.workload;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.TaskCaller;
import io.psf.runtime.Worker;
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
 * Tasks are run by several attempts, one after another and at the same time; some of the clients that run them are
 * killed. Each slice has each change of each task once.
 */
public final class TaskAttempts implements Workload {
    private static final int TASKS = 4;

    private int rows;

    @Override
    public String name() {
        return "tasks";
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
        Worker worker = world.workers().get(0).get();
        int slices = world.shape().servers() + world.random("slices").nextInt(3);
        rows = TASKS * slices;
        TensorId sums = Tensors.init(worker, TensorSpec.dense("sums", rows).slices(slices));
        SplittableRandom random = world.random("attempts");
        world.beginFaults();
        Tasks attempts = new Tasks();
        for (int number = 0; number < TASKS; number++) {
            attempt(world, attempts, sums, number, random);
        }
        attempts.await();
        for (int number = 0; number < TASKS; number++) { // as a system does that has lost the results of its attempts
            push(world, worker.task(number(number)), sums, number);
        }
        check(world, Tensors.pull(worker, sums));
    }

    private void attempt(World world, Tasks attempts, TensorId sums, int number, SplittableRandom random)
            throws InterruptedException {
        for (int attempt = random.nextInt(3); attempt > 0; attempt--) {
            SimulatedNode<Client> client = world.client();
            attempts.on(client.threads(), () -> {
                push(world, client.get().task(number(number)), sums, number);
                client.get().close();
            });
            Thread.sleep(random.nextInt(50));
            if (random.nextBoolean()) {
                world.kill(client.name(), random.nextBoolean());
            }
        }
    }

    private static long number(int task) {
        return TaskCaller.number("job", String.valueOf(task));
    }

    /** Makes the changes of a task: its number of times to each row of it, of which each slice has one. */
    private void push(World world, TaskCaller task, TensorId sums, int number) throws InterruptedException {
        for (int change = 0; change < world.calls(); change++) {
            world.think();
            float[] update = new float[rows];
            for (int row = number; row < rows; row += TASKS) {
                update[row] = 1;
            }
            Tensors.push(task, sums, update);
        }
        task.awaitChanges();
    }

    private static void check(World world, float[] sums) {
        for (int row = 0; row < sums.length; row++) {
            if (sums[row] != world.calls()) {
                throw new Violation("changes of task " + row % TASKS + " in row " + row + ": " + sums[row]
                        + " (expected: " + world.calls() + ", each once)");
            }
        }
    }
}

package io.psf.simulation.workload;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Workers write and read a register per key: rows whose optimizer assigns. The history of each key is linearizable. */
public final class Registers implements Workload {
    private static final int KEYS = 4;

    private final List<History> histories = new ArrayList<>();
    private int written;

    @Override
    public String name() {
        return "registers";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, random.nextBoolean() ? Shape.Recovery.JOURNAL : Shape.Recovery.NONE)
                .withWorkers(2);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape), Faults.LOSSES);
    }

    @Override
    public void run(World world) throws Exception {
        TensorId registers = Tensors.init(
                world.workers().get(0).get(),
                TensorSpec.table("registers", KEYS, 1)
                        .optimizer(Optimizers.assign())
                        .slices(Math.min(KEYS, world.shape().servers())));
        for (int key = 0; key < KEYS; key++) {
            histories.add(new History());
        }
        try {
            Team.run(world, (rank, worker) -> use(world, worker, registers, world.random("keys of " + rank)));
        } finally {
            for (int key = 0; key < KEYS; key++) {
                requireLinearizable(key);
            }
        }
    }

    private void requireLinearizable(int key) {
        if (!histories.get(key).isLinearizable()) {
            throw new Violation("register " + key + ": " + histories.get(key) + " (expected: linearizable)");
        }
    }

    private void use(World world, Worker worker, TensorId registers, SplittableRandom random)
            throws InterruptedException {
        for (int i = 0; i < world.calls(); i++) {
            world.think();
            int key = random.nextInt(KEYS);
            if (random.nextBoolean()) {
                write(worker, registers, key, random.nextInt(3) == 0);
            } else {
                read(worker, registers, key);
            }
        }
        worker.awaitAll();
    }

    /** Writes once, or twice side by side: the second one of a worker is the last one. */
    private void write(Worker worker, TensorId registers, int key, boolean isTwice) {
        History history = histories.get(key);
        List<Pending<?>> pending = new ArrayList<>();
        List<History.Operation> operations = new ArrayList<>();
        for (int i = 0; i < (isTwice ? 2 : 1); i++) {
            int value = ++written;
            operations.add(history.begin(true, value));
            pending.add(Tensors.pushRows(worker, registers, new long[] {key}, new float[] {value}));
        }
        for (int i = 0; i < pending.size(); i++) {
            pending.get(i).await();
            history.end(operations.get(i));
        }
        if (isTwice) {
            history.inOrder(operations.get(0), operations.get(1));
        }
    }

    private void read(Worker worker, TensorId registers, int key) {
        History history = histories.get(key);
        History.Operation operation = history.begin(false, -1);
        float[] into = new float[1];
        Tensors.pullRows(worker, registers, new long[] {key}, into).await();
        operation.value = (int) into[0];
        history.end(operation);
    }
}

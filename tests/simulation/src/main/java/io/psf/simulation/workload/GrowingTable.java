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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Workers push rows of a growing table, and remove rows that are theirs alone. At the end the table has the rows of the
 * model, each key is listed once, and each row has its pushes since its removal.
 */
public final class GrowingTable implements Workload {
    private static final int KEYS = 20;
    private static final int OWN = 1_000;

    private final SortedMap<Long, Integer> model = new TreeMap<>();

    @Override
    public String name() {
        return "growing-table";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, random.nextBoolean() ? Shape.Recovery.JOURNAL : Shape.Recovery.NONE);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape));
    }

    @Override
    public void run(World world) throws Exception {
        Worker first = world.workers().get(0).get();
        TensorId table = Tensors.init(first, TensorSpec.growing("table", 1));
        Team.run(world, (rank, worker) -> use(world, worker, table));
        if (!world.mayLose()) {
            check(first, table);
        }
    }

    private void use(World world, Worker worker, TensorId table) throws InterruptedException {
        SplittableRandom random = world.random("keys of " + worker.rank());
        for (int i = 0; i < world.calls(); i++) {
            world.think();
            if (random.nextInt(4) == 0) {
                long[] own = {OWN * (worker.rank() + 1L) + random.nextInt(3)};
                Tensors.removeRows(worker, table, own).await();
                model.remove(own[0]);
            } else {
                push(worker, table, keys(worker.rank(), random));
            }
        }
    }

    private static long[] keys(int rank, SplittableRandom random) {
        long[] keys = new long[1 + random.nextInt(4)];
        Arrays.setAll(keys, at -> random.nextBoolean() ? random.nextInt(KEYS) : OWN * (rank + 1L) + random.nextInt(3));
        return keys;
    }

    private void push(Worker worker, TensorId table, long[] keys) {
        float[] ones = new float[keys.length];
        Arrays.fill(ones, 1);
        Tensors.pushRows(worker, table, keys, ones).await();
        for (long key : keys) {
            model.merge(key, 1, Integer::sum);
        }
    }

    private void check(Worker worker, TensorId table) {
        List<Long> listed = new ArrayList<>();
        for (long[] page : Tensors.keys(worker, table)) {
            Arrays.stream(page).forEach(listed::add);
        }
        if (listed.size() != model.size() || !new TreeSet<>(listed).equals(model.keySet())) {
            throw new Violation("keys of the table: " + listed + " (expected: " + model.keySet() + ")");
        }
        for (Map.Entry<Long, Integer> each : model.entrySet()) {
            float[] value = new float[1];
            Tensors.pullRows(worker, table, new long[] {each.getKey()}, value).await();
            if (value[0] != each.getValue()) {
                throw new Violation(
                        "row of key " + each.getKey() + ": " + value[0] + " (expected: " + each.getValue() + ")");
            }
        }
    }
}

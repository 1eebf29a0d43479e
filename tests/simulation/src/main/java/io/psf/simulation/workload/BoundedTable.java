package io.psf.simulation.workload;

import io.psf.api.ClusterCaller;
import io.psf.api.TensorId;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import io.psf.simulation.fault.Faults;
import io.psf.simulation.world.Fault;
import io.psf.simulation.world.Shape;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.Workload;
import io.psf.simulation.world.World;
import io.psf.testkit.TestCluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Workers push in turns to a table that removes rows: those that were pushed least recently or least often, and those
 * that expire after a number of pushes. It has the rows that the test kit's cluster has after the same pushes. In some
 * runs rows expire by time, see {@link ExpiringTable}.
 */
public final class BoundedTable implements Workload {
    private static final int KEYS = 60;

    private final ReentrantLock turn = new ReentrantLock(true);
    private boolean expiresByTime;

    @Override
    public String name() {
        return "bounded-table";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        expiresByTime = random.nextInt(3) == 0;
        return Shape.draw(random, random.nextBoolean() ? Shape.Recovery.JOURNAL : Shape.Recovery.NONE);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(
                Faults.HARMLESS,
                Faults.ofScheduler(shape),
                expiresByTime ? Faults.of(Faults.CLOCKS, Faults.CLOCKS, Faults.CLOCKS) : List.of());
    }

    @Override
    public void run(World world) throws Exception {
        SplittableRandom random = world.random("policy");
        if (expiresByTime) {
            new ExpiringTable(world, random).run();
            return;
        }
        TensorSpec spec = TensorSpec.growing("table", 1).policy(policy(random));
        Worker first = world.workers().get(0).get();
        TensorId table = Tensors.init(first, spec);
        TestCluster model = TestCluster.of(world.shape().servers(), 1);
        Tensors.init(model, spec);
        Team.run(world, (rank, worker) -> push(world, worker, model, table));
        if (!world.mayLose()) {
            requireEqual(rows(first, table), rows(model, table));
        }
    }

    private static TablePolicy policy(SplittableRandom random) {
        TablePolicy limited = TablePolicy.keepAll().mostRows(12 + random.nextInt(KEYS));
        TablePolicy ordered = random.nextBoolean() ? limited.leastFrequentFirst() : limited;
        return random.nextBoolean() ? ordered.expireAfterPushes(1 + random.nextInt(30)) : ordered;
    }

    private void push(World world, Worker worker, ClusterCaller model, TensorId table) throws InterruptedException {
        SplittableRandom random = world.random("keys of " + worker.rank());
        for (int i = 0; i < world.calls(); i++) {
            world.think();
            // Some keys come more often.
            long[] keys = random.longs(1 + random.nextInt(4), 0, KEYS)
                    .map(key -> random.nextBoolean() ? key : key % 7)
                    .distinct()
                    .toArray();
            float[] ones = new float[keys.length];
            Arrays.fill(ones, 1);
            turn.lock();
            try {
                Tensors.pushRows(worker, table, keys, ones).await();
                Tensors.pushRows(model, table, keys, ones).await();
            } finally {
                turn.unlock();
            }
        }
    }

    /** Returns each key with its value, as text. */
    private static List<String> rows(ClusterCaller worker, TensorId table) {
        List<long[]> pages = new ArrayList<>();
        Tensors.keys(worker, table).forEach(pages::add);
        return pages.stream()
                .flatMapToLong(Arrays::stream)
                .sorted()
                .mapToObj(key -> {
                    float[] value = new float[1];
                    Tensors.pullRows(worker, table, new long[] {key}, value).await();
                    return key + "=" + value[0];
                })
                .toList();
    }

    private static void requireEqual(List<String> found, List<String> expected) {
        if (!found.equals(expected)) {
            throw new Violation("rows of the table: " + found + " (expected: " + expected + ", as in the test kit)");
        }
    }
}

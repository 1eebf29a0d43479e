package io.psf.simulation.workload;

import io.psf.api.TensorId;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import io.psf.simulation.world.Violation;
import io.psf.simulation.world.World;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;

/**
 * Workers push and pull in turns rows of a table that expire by time. A row stays for the time since its last push, and
 * is gone when the time has passed that {@link TablePolicy#expireAfter} allows, on the clock of its server: whatever
 * the clock's speed is, and whatever the wall clock is set to.
 */
final class ExpiringTable {
    private static final int KEYS = 20;
    private static final int MOST_SECONDS = 8;

    private final World world;
    private final Duration time;
    private final ExpiringRow.Limit limit;
    private final ExpiringRow[] rows = new ExpiringRow[KEYS];
    private final ReentrantLock turn = new ReentrantLock(true);

    ExpiringTable(World world, SplittableRandom random) {
        this.world = world;
        this.time = Duration.ofSeconds(1 + random.nextInt(MOST_SECONDS));
        // A process that is stopped removes nothing; its clock may run at twice the speed.
        long stopped = Duration.ofMillis(2 * world.silenceMillis()).toNanos();
        this.limit = new ExpiringRow.Limit(
                time.toNanos(), time.toNanos() / 16 + Duration.ofSeconds(2).toNanos() + stopped);
        Arrays.fill(rows, ExpiringRow.none(world.shape().servers()));
    }

    void run() throws InterruptedException {
        Worker first = world.workers().get(0).get();
        TensorId table = Tensors.init(
                first,
                TensorSpec.growing("table", 1).policy(TablePolicy.keepAll().expireAfter(time)));
        Team.run(world, (rank, worker) -> {
            SplittableRandom random = world.random("keys of " + rank);
            for (int i = 0; i < world.calls(); i++) {
                world.think();
                Thread.sleep(random.nextLong(1 + time.toMillis() / 4));
                turn.lock();
                try {
                    use(worker, table, random);
                } finally {
                    turn.unlock();
                }
            }
        });
    }

    private void use(Worker worker, TensorId table, SplittableRandom random) {
        if (random.nextInt(4) == 0) {
            pull(worker, table);
        } else {
            push(
                    worker,
                    table,
                    random.longs(1 + random.nextInt(4), 0, KEYS).distinct().toArray());
        }
    }

    private void push(Worker worker, TensorId table, long[] keys) {
        float[] ones = new float[keys.length];
        Arrays.fill(ones, 1);
        long[] from = clocks();
        Tensors.pushRows(worker, table, keys, ones).await();
        long[] to = clocks();
        for (long key : keys) {
            rows[(int) key] = rows[(int) key].pushed(limit, from, to);
        }
    }

    private void pull(Worker worker, TensorId table) {
        float[] found = new float[KEYS];
        long[] from = clocks();
        Tensors.pullRows(worker, table, LongStream.range(0, KEYS).toArray(), found)
                .await();
        long[] to = clocks();
        for (int key = 0; key < KEYS && !world.mayLose(); key++) {
            Set<Integer> expected = rows[key].values(limit, from, to);
            if (!expected.contains((int) found[key])) {
                throw new Violation("row of key " + key + ", which expires after " + time.toSeconds() + " s: "
                        + (int) found[key] + " (expected: one of " + expected + "), idle for " + rows[key].idle(to)
                        + " s by the clocks of the servers");
            }
            rows[key] = rows[key].found((int) found[key]);
        }
    }

    /** Returns the time on each server's clock, in nanoseconds. */
    private long[] clocks() {
        return world.servers().stream()
                .mapToLong(each -> each.threads().nanoTime())
                .toArray();
    }
}

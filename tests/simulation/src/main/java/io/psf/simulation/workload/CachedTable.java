package io.psf.simulation.workload;

import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
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
 * Workers look up and update rows through caches. A row shows all updates of its cache, and lacks at most the pull
 * bound of the updates that others have flushed. At the end each update is in the table once.
 */
public final class CachedTable implements Workload {
    private static final int KEYS = 12;

    /** The updates that each worker has begun, by worker and key. */
    private int[][] begun = {};
    /** The updates of each worker that are in the table for certain. */
    private int[][] flushed = {};

    @Override
    public String name() {
        return "cache";
    }

    @Override
    public Shape shape(SplittableRandom random) {
        return Shape.draw(random, random.nextBoolean() ? Shape.Recovery.JOURNAL : Shape.Recovery.NONE)
                .withWorkers(2);
    }

    @Override
    public List<Fault.Kind> faults(Shape shape) {
        return Faults.of(Faults.HARMLESS, Faults.ofScheduler(shape));
    }

    @Override
    public void run(World world) throws Exception {
        begun = new int[world.workers().size()][KEYS];
        flushed = new int[begun.length][KEYS];
        TensorSpec table = TensorSpec.table("table", KEYS, 1);
        Tensors.init(world.workers().get(0).get(), table);
        Team.run(world, (rank, worker) -> use(world, rank, worker, table));
        if (!world.mayLose()) {
            float[] rows =
                    Tensors.pull(world.workers().get(0).get(), table.tensor().id());
            for (int key = 0; key < KEYS; key++) {
                require("row at the end", key, rows[key], sum(begun, key), sum(begun, key));
            }
        }
    }

    private void use(World world, int rank, Worker worker, TensorSpec table) throws InterruptedException {
        SplittableRandom random = world.random("cache of " + rank);
        int pullBound = random.nextInt(4);
        EmbeddingCache cache = EmbeddingCache.of(worker, table)
                .rows(1 + random.nextInt(KEYS))
                .policy(random.nextBoolean() ? EmbeddingCache.Policy.LRU : EmbeddingCache.Policy.LFU)
                .pullBound(pullBound)
                .pushBound(random.nextInt(4))
                .open();
        for (int i = 0; i < world.calls(); i++) {
            world.think();
            long[] keys = random.longs(0, KEYS)
                    .distinct()
                    .limit(1 + random.nextInt(4))
                    .toArray();
            if (random.nextBoolean()) {
                lookUp(world, rank, cache, keys, pullBound, random.nextInt(3) == 0);
            } else {
                update(rank, cache, keys);
            }
            if (random.nextInt(4) == 0) {
                flush(rank, cache);
            }
        }
        flush(rank, cache);
        cache.close();
    }

    private void lookUp(World world, int rank, EmbeddingCache cache, long[] keys, int pullBound, boolean isAhead)
            throws InterruptedException {
        int[] least = leastOfOthers(rank);
        if (isAhead) {
            cache.prefetch(keys); // the look-up compares no row again
            world.think();
        }
        float[] rows = new float[keys.length];
        cache.lookUp(keys, rows);
        for (int i = 0; i < keys.length; i++) {
            int key = (int) keys[i];
            int own = begun[rank][key];
            require("row in the cache of worker " + rank, key, rows[i], own + least[key] - pullBound, sum(begun, key));
        }
    }

    private int[] leastOfOthers(int rank) {
        int[] least = new int[KEYS];
        for (int key = 0; key < KEYS; key++) {
            least[key] = sum(flushed, key) - flushed[rank][key];
        }
        return least;
    }

    private void update(int rank, EmbeddingCache cache, long[] keys) {
        for (long key : keys) {
            begun[rank][(int) key]++;
        }
        float[] ones = new float[keys.length];
        Arrays.fill(ones, 1);
        cache.update(keys, ones);
    }

    private void flush(int rank, EmbeddingCache cache) {
        cache.flush();
        flushed[rank] = begun[rank].clone();
    }

    private static int sum(int[][] updates, int key) {
        return Arrays.stream(updates).mapToInt(each -> each[key]).sum();
    }

    private static void require(String what, int key, float found, int least, int most) {
        if (found < least || found > most) {
            throw new Violation(
                    what + ", key " + key + ": " + found + " (expected: " + least + " to " + most + " updates)");
        }
    }
}

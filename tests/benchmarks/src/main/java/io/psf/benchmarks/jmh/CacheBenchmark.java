package io.psf.benchmarks.jmh;

import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.EmbeddingCache.Policy;
import io.psf.builtin.TensorSpec;
import io.psf.runtime.PsCluster;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A row of the embedding cache: look-ups that find every row there and are not compared, updates that are not sent, and
 * the floor of a look-up, which is to copy the rows from an array. Batches of 1,024 random rows.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls prepare first
public class CacheBenchmark {
    private static final int KEYS = 1 << 10;
    private static final int BATCHES = 64;
    private static final int MOST_UPDATES = 1 << 30;

    /** The number of rows; 10,000 rows stay in the processor's cache. */
    @Param({"10000", "100000"})
    public int rows;

    /** The number of floats in a row. */
    @Param({"16", "64"})
    public int width;

    /** The order in which rows are evicted. */
    @Param({"LRU", "LFU", "LFU_OPT"})
    public Policy policy;

    private final long[][] batches = new long[BATCHES][KEYS];
    private float[] table;
    private float[] into;
    private PsCluster cluster;
    private EmbeddingCache cache;
    private int next;

    /** Starts a server, and fills the cache. */
    @Setup
    public void prepare() {
        Random random = new Random(1);
        for (long[] batch : batches) {
            Arrays.setAll(batch, i -> random.nextInt(rows));
        }
        table = new float[rows * width];
        into = new float[KEYS * width];
        cluster = PsCluster.builder().servers(1).workers(1).start();
        cache = EmbeddingCache.of(cluster.worker(0), TensorSpec.table("table", rows, width))
                .rows(rows)
                .policy(policy)
                .pullBound(EmbeddingCache.UNLIMITED)
                .pushBound(MOST_UPDATES)
                .open();
        for (long[] batch : batches) {
            cache.lookUp(batch, into);
        }
    }

    /** Ends the cluster. */
    @TearDown
    public void end() {
        cache.close();
        cluster.close();
    }

    private long[] batch() {
        next = (next + 1) % BATCHES;
        return batches[next];
    }

    /** Looks rows up. */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public float[] hit() {
        cache.lookUp(batch(), into);
        return into;
    }

    /** Updates rows. */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void update() {
        cache.update(batch(), into);
    }

    /** Copies rows from an array. */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public float[] copy() {
        long[] keys = batch();
        for (int i = 0; i < KEYS; i++) {
            System.arraycopy(table, (int) keys[i] * width, into, i * width, width);
        }
        return into;
    }
}

package io.psf.benchmarks.jmh;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.benchmarks.UsualOptimizers;
import io.psf.builtin.optimizer.Rule;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The optimizers' steps over a shard off the heap, of 100,000 rows 16 wide: all rows, and 10,000 of them. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls start first
public class KernelBenchmark {
    private static final int ROWS = 100_000;
    private static final int WIDTH = 16;
    private static final int KEYS = 10_000;

    /** Which optimizer. */
    @Param({"ADD", "ASSIGN", "SGD", "MOMENTUM", "NESTEROV", "ADA_GRAD", "ADAM"})
    public Rule rule;

    private OneServer server;
    private Shard shard;
    private Optimizer optimizer;
    private final FloatArray update = direct(ROWS * WIDTH);
    private final FloatArray rows = direct(KEYS * WIDTH);
    private final LongArray keys =
            LongArray.wrap(new Random(1).longs(KEYS, 0, ROWS).toArray());

    private static FloatArray direct(int floats) {
        FloatArray array = FloatArray.view(ByteBuffer.allocateDirect(4 * floats));
        array.fill(1e-3f);
        return array;
    }

    /** Makes the shard. */
    @Setup
    public void start() {
        optimizer = UsualOptimizers.of(rule).create();
        server = new OneServer(new TensorInfo(TensorId.of("table"), ROWS, WIDTH), optimizer);
        shard = server.shard();
    }

    /** Ends the server. */
    @TearDown
    public void end() {
        server.close();
    }

    /** All rows, 1.6 million floats. */
    @Benchmark
    public void dense() {
        optimizer.apply(shard, update);
    }

    /** 10,000 rows anywhere, 160,000 floats. */
    @Benchmark
    public void sparse() {
        optimizer.apply(shard, keys, rows);
    }
}

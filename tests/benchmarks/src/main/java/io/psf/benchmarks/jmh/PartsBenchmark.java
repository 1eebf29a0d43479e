package io.psf.benchmarks.jmh;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The stages of a call, one by one: routing, and the codec of a small tuple. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class PartsBenchmark {
    private static final TensorId TENSOR = Calls.TENSOR.id();

    private final TensorLayout dense = TensorLayout.even(Calls.TENSOR, new int[] {0, 1, 2, 3});
    private final TensorLayout sparse = TensorLayout.even(new TensorInfo(TENSOR, 1 << 20, 16), new int[] {0, 1, 2, 3});
    private final DensePush.Request push = new DensePush.Request(TENSOR, FloatArray.allocate(16));
    private final Routing routing = Routing.overSlices(DensePushPsf.FUNCTION, push, dense);
    private final SparsePull.Request pull = new SparsePull.Request(TENSOR, keys());
    private final TupleWriter writer = new TupleWriter();
    private final ByteBuffer body = ByteBuffer.allocateDirect(1 << 10).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer written = written(push, routing);

    private static LongArray keys() {
        return LongArray.wrap(new Random(1).longs(64, 0, 1 << 20).toArray());
    }

    private static ByteBuffer written(DensePush.Request push, Routing routing) {
        TupleWriter writer = new TupleWriter();
        DensePushPsf.FUNCTION.write(push, routing, 1, writer);
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) writer.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        writer.writeBody(bytes);
        return bytes.flip();
    }

    /** The routing of a dense request over 4 slices. */
    @Benchmark
    public Routing routeDense() {
        return Routing.overSlices(DensePushPsf.FUNCTION, push, dense);
    }

    /** The routing of 64 keys over 4 slices. */
    @Benchmark
    public Routing routeKeys() {
        return Routing.overSlices(SparsePullPsf.FUNCTION, pull, sparse);
    }

    /** Encodes a slice of 4 floats. */
    @Benchmark
    public int write() {
        DensePushPsf.FUNCTION.write(push, routing, 1, writer);
        body.clear();
        writer.writeBody(body);
        body.flip();
        writer.reset();
        return body.limit();
    }

    /** Decodes the same bytes to a request. */
    @Benchmark
    public DensePush.Request read() {
        return DensePushPsf.FUNCTION.read(new TupleReader(written, 0, 1, 1, TENSOR));
    }
}

package io.psf.benchmarks.jmh;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushPsf;
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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The steps of a sparse pull and of a sparse push, one by one: 10,000 random rows of 1,000,000, a few of them twice.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls prepare first
public class SparseBenchmark {
    private static final int BATCHES = 16;
    private static final int KEYS = 10_000;
    private static final int ROWS = 1_000_000;
    private static final TensorId TENSOR = TensorId.of("table");

    /** The number of slices of the table. */
    @Param({"1", "4"})
    public int slices;

    /** The number of floats in a row. */
    @Param({"16", "64"})
    public int width;

    private final TupleWriter writer = new TupleWriter();
    private final SparsePull.Request[] pulls = new SparsePull.Request[BATCHES];
    private final SparsePush.Request[] pushes = new SparsePush.Request[BATCHES];
    private final Routing[] pullRoutings = new Routing[BATCHES];
    private final Routing[] pushRoutings = new Routing[BATCHES];
    private final int[][] rows = new int[BATCHES][];
    private TensorLayout layout;
    private SparsePull.Response into;
    private FloatArray values;
    private FloatArray answer;
    private ByteBuffer frame;
    private ByteBuffer[] answers;
    private int next;

    /** Creates the table and the batches. */
    @Setup
    public void prepare() {
        int[] servers = new int[slices];
        layout = TensorLayout.even(new TensorInfo(TENSOR, ROWS, width), servers);
        Random random = new Random(1);
        for (int b = 0; b < BATCHES; b++) {
            LongArray keys = LongArray.wrap(random.longs(KEYS, 0, ROWS).toArray());
            pulls[b] = new SparsePull.Request(TENSOR, keys);
            pushes[b] = new SparsePush.Request(TENSOR, keys, FloatArray.allocate(KEYS * width));
            pullRoutings[b] = Routing.overSlices(SparsePullPsf.FUNCTION, pulls[b], layout);
            pushRoutings[b] = Routing.overSlices(SparsePushPsf.FUNCTION, pushes[b], layout);
            rows[b] = random.ints(KEYS, 0, ROWS).toArray();
        }
        into = new SparsePull.Response(FloatArray.allocate(KEYS * width));
        values = FloatArray.view(direct(4 * ROWS * width));
        answer = FloatArray.view(direct(4 * KEYS * width));
        frame = direct(8 * KEYS + 4 * KEYS * width + 1024);
        answers = new ByteBuffer[slices];
        for (int part = 0; part < slices; part++) { // as many rows as the first batch requests of each slice
            SparsePullPsf.FUNCTION.write(pulls[0], pullRoutings[0], part, writer);
            int keys = (int) (writer.bodyLength() / 8 - 1);
            writer.reset();
            SparsePullPsf.FUNCTION.writeAnswer(new SparsePull.Response(answer.slice(0, keys * width)), writer);
            answers[part] = direct((int) writer.bodyLength());
            writer.writeBody(answers[part]);
            answers[part].flip();
            writer.reset();
        }
    }

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private int batch() {
        next = (next + 1) % BATCHES;
        return next;
    }

    /** Folds and groups the keys of a pull. */
    @Benchmark
    public Routing routePull() {
        return Routing.overSlices(SparsePullPsf.FUNCTION, pulls[batch()], layout);
    }

    /** Folds and groups the keys of a push. */
    @Benchmark
    public Routing routePush() {
        return Routing.overSlices(SparsePushPsf.FUNCTION, pushes[batch()], layout);
    }

    /** Encodes the keys of all slices. */
    @Benchmark
    public int writePull() {
        int batch = batch();
        return write(SparsePullPsf.FUNCTION, pulls[batch], pullRoutings[batch]);
    }

    /** Encodes the keys and rows of all slices. */
    @Benchmark
    public int writePush() {
        int batch = batch();
        return write(SparsePushPsf.FUNCTION, pushes[batch], pushRoutings[batch]);
    }

    private <Q> int write(Function<Q, ?> function, Q request, Routing routing) {
        int written = 0;
        for (int part = 0; part < routing.parts(); part++) {
            function.write(request, routing, part, writer);
            writer.writeBody(frame.clear());
            written += frame.position();
            writer.reset();
        }
        return written;
    }

    /** Gathers random rows of the table, like a server. */
    @Benchmark
    public FloatArray gather() {
        answer.gather(values, rows[batch()], 0, KEYS, width);
        return answer;
    }

    /** Encodes the gathered rows. */
    @Benchmark
    public int writeAnswer() {
        SparsePullPsf.FUNCTION.writeAnswer(new SparsePull.Response(answer), writer);
        writer.writeBody(frame.clear());
        writer.reset();
        return frame.position();
    }

    /** Scatters the slices' answers to the positions of the caller's keys. */
    @Benchmark
    public SparsePull.Response scatter() {
        Merge<SparsePull.Response> merge = SparsePullPsf.FUNCTION.merge(pulls[0], pullRoutings[0], into);
        for (int part = 0; part < slices; part++) {
            merge.add(part, new TupleReader(answers[part], 0, 1, 1, TENSOR));
        }
        return merge.result();
    }
}

package io.psf.benchmarks.jmh;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.spi.transport.Frame;
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
 * A dense call of 16 floats: stub, routing, codec, and the answers' merge, all on this thread. The cost of the echo,
 * which replaces the servers, is included, and is also measured separately.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH calls connect first
public class CallBenchmark {
    /** The number of slices of the tensor, each on a separate server. */
    @Param({"1", "4"})
    public int slices;

    private final TensorId tensor = Calls.TENSOR.id();
    private final FloatArray floats = FloatArray.allocate(16);
    private final DensePull.Response into = new DensePull.Response(FloatArray.allocate(16));
    private Calls pushes;
    private Calls pulls;
    private DensePushPsf.Stub push;
    private DensePullPsf.Stub pull;

    /** Connects to the echoes. */
    @Setup
    public void connect() {
        pushes = new Calls(DensePushPsf.FUNCTION.info(), slices, null);
        pulls = new Calls(DensePullPsf.FUNCTION.info(), slices, FloatArray.allocate(16 / slices));
        push = DensePushPsf.stub(pushes);
        pull = DensePullPsf.stub(pulls);
    }

    /** Pushes an update of the whole tensor; the answers are empty. */
    @Benchmark
    public DensePush.Response push() {
        return push.call(tensor, floats).await();
    }

    /** Pulls the whole tensor into an array of the caller. */
    @Benchmark
    public DensePull.Response pull() {
        return pull.call(tensor, into).await();
    }

    /** Measures the echo's part of {@link #push}. */
    @Benchmark
    public int echoOfPush() {
        return echo(pushes.echo());
    }

    /** Measures the echo's part of {@link #pull}. */
    @Benchmark
    public int echoOfPull() {
        return echo(pulls.echo());
    }

    private int echo(Echo echo) {
        int length = 0;
        for (int slice = 0; slice < slices; slice++) {
            Frame answer = echo.answer(slice, slice);
            length += answer.length();
            answer.release();
        }
        return length;
    }
}

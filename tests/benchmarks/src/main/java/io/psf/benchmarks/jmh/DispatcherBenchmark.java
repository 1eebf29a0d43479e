package io.psf.benchmarks.jmh;

import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.Optimizers;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RequestHeader;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A request in a server: the frame is written, dispatched, run on the lane and answered to a channel that drops the
 * answer. The request belongs to a session, so answers are retained until the caller acknowledges them. Measured one
 * request at a time, which includes waking the lane, and 64 together.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH calls start first
public class DispatcherBenchmark {
    private static final int TOGETHER = 64;
    private static final TensorInfo TENSOR = Calls.TENSOR;
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int SPINS = 1000;

    private final TensorLayout layout = TensorLayout.even(TENSOR, new int[] {0});
    private final short stamp = layout.stamp(0);
    private final DensePush.Request push = new DensePush.Request(TENSOR.id(), FloatArray.allocate(16));
    private final DensePull.Request pull = new DensePull.Request(TENSOR.id());
    private final Routing pushed = Routing.overSlices(DensePushPsf.FUNCTION, push, layout);
    private final Routing pulled = Routing.overSlices(DensePullPsf.FUNCTION, pull, layout);
    private final TupleWriter tuple = new TupleWriter();
    private OneServer server;
    private long calls;
    private long done;

    /** Starts the server. */
    @Setup
    public void start() {
        server = new OneServer(
                TENSOR,
                Optimizers.sgd(0.01).create(),
                DensePushPsf.bind(new DensePush() {}),
                DensePullPsf.bind(new DensePull() {}));
        calls = 1; // the hello
        await();
    }

    /** Stops the server. */
    @TearDown
    public void end() {
        server.close();
    }

    /** A push of 16 floats, SGD. */
    @Benchmark
    public void push() {
        sendPush();
        await();
        done();
    }

    /** A pull of 16 floats. */
    @Benchmark
    public void pull() {
        sendPull();
        await();
        done();
    }

    /** Pushes of 16 floats, SGD, queued together. */
    @Benchmark
    @OperationsPerInvocation(TOGETHER)
    public void pushesTogether() {
        for (int i = 0; i < TOGETHER; i++) {
            sendPush();
        }
        await();
        done();
    }

    private void sendPush() {
        DensePushPsf.FUNCTION.write(push, pushed, 0, tuple);
        send(DensePushPsf.FUNCTION.info());
    }

    private void sendPull() {
        DensePullPsf.FUNCTION.write(pull, pulled, 0, tuple);
        send(DensePullPsf.FUNCTION.info());
    }

    private void send(FunctionInfo function) {
        RequestHeader.Target target = new RequestHeader.Target(TENSOR.id().number(), 0, stamp);
        RequestHeader header = new RequestHeader(function, target, ++calls, TIMEOUT_MILLIS, 0, 0);
        server.receive(Frames.request(server.pool, header, tuple));
        tuple.reset();
    }

    @SuppressWarnings("ThreadPriorityCheck") // yields to the lane's thread
    private void await() {
        for (int i = 0; server.answers() < calls; i++) {
            if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield(); // the lane may need this core
            }
        }
    }

    /** Acknowledges the answers so far from time to time, like a caller, so that the server drops them. */
    private void done() {
        if (calls - done >= TOGETHER) {
            done = calls;
            server.receive(Frames.done(server.pool, calls + 1, new long[0]));
        }
    }
}

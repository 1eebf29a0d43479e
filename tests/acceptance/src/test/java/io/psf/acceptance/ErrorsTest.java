package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.acceptance.Clusters.Over;
import io.psf.acceptance.Faulty.Fault;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bad input gets a clear error, to the one who gave it, and nothing else happens. */
@Timeout(60)
final class ErrorsTest {
    private static PsCluster cluster;
    private static Worker worker;
    private static TensorId w;

    @BeforeAll
    static void start() {
        cluster = Clusters.start(Over.TCP, 2, 2);
        worker = cluster.worker(0);
        w = Tensors.init(worker, TensorSpec.dense("w", 256, 64).initializer(Initializers.constant(2)));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** After every error the cluster serves as before. */
    @AfterEach
    void nothingElseHasHappened() {
        assertThat(Tensors.pull(cluster.worker(0), w)).containsOnly(2f);
        assertThat(Tensors.pull(cluster.worker(1), w)).containsOnly(2f);
    }

    private static PsException failure(Code code, ThrowingCallable call) {
        PsException e = catchThrowableOfType(PsException.class, call);
        assertThat(e).as("a PsException").isNotNull();
        assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
        return e;
    }

    @Test
    void theStackTraceShowsTheCall() {
        PsException e = failure(
                Code.BAD_REQUEST, () -> Tensors.push(worker, w, new float[3]).await());
        assertThat(e.getStackTrace())
                .hasSizeLessThan(new Throwable().getStackTrace().length + 40)
                .anySatisfy(frame -> assertThat(frame.getMethodName()).contains("theStackTraceShowsTheCall"));
    }

    @Test
    void aPushOfTheWrongLengthSaysWhatWasExpected() {
        assertThat(failure(
                        Code.BAD_REQUEST,
                        () -> Tensors.push(worker, w, new float[4096]).await()))
                .hasMessageContaining("length: 4096 (expected: 16384 = 256 rows x 64 wide)")
                .hasMessageContaining("in psf.dense.push on tensor \"w\"");
    }

    @Test
    void aTargetOfTheWrongLengthSaysWhatWasExpected() {
        assertThat(failure(
                        Code.BAD_REQUEST,
                        () -> Tensors.pull(worker, w, new float[3]).await()))
                .hasMessageContaining("3 (expected: 16384");
    }

    @Test
    void anUnknownTensorIsNamed() {
        assertThat(failure(Code.UNKNOWN_TENSOR, () -> Tensors.pull(worker, TensorId.of("nobody"))))
                .hasMessageContaining("\"nobody\"");
    }

    @Test
    void aSecondInitWithAnotherShapeNamesBothShapes() {
        assertThat(failure(Code.ALREADY_EXISTS, () -> Tensors.init(cluster.worker(1), TensorSpec.dense("w", 128, 64))))
                .hasMessageContaining("\"w\"")
                .hasMessageContaining("[128, 64]")
                .hasMessageContaining("[256, 64]");
    }

    @Test
    void aRowOutOfRangeIsNamed() {
        float[] into = new float[3 * 64];
        assertThat(failure(
                        Code.OUT_OF_RANGE,
                        () -> Tensors.pullRows(worker, w, new long[] {1, 256, 3}, into)
                                .await()))
                .hasMessageContaining("[1]: 256 (expected: a row in [0, 256))")
                .hasMessageContaining("tensor \"w\"");
        failure(
                Code.OUT_OF_RANGE,
                () -> Tensors.pushRows(worker, w, new long[] {-1}, new float[64])
                        .await());
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"EXCEPTION", "ERROR", "STACK_OVERFLOW", "NULL", "WRONG_LENGTH", "OUT_OF_BOUNDS", "FAILED_LATER"})
    void whateverAHandlerThrowsIsTheAnswer(Fault fault) {
        assertThat(failure(
                        Code.HANDLER_FAILED,
                        () -> FaultyPsf.stub(worker).call(w, fault).await()))
                .hasMessageContaining("acceptance.faulty")
                .hasMessageContaining("slice [");
    }

    @Test
    void theErrorsOfSeveralSlicesAreToldTogether() {
        assertThat(failure(
                        Code.HANDLER_FAILED,
                        () -> FaultyPsf.stub(worker).call(w, Fault.EXCEPTION).await()))
                .hasMessageContaining("threw java.lang.IllegalStateException: a defect of the handler")
                .hasMessageContaining("slice [0, 128), server 0 (127.0.0.1:")
                .hasMessageContaining("; also slice [128, 256), server 1 (127.0.0.1:")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
    }

    @Test
    void aHandlerThatNeverAnswersRunsIntoTheDeadline() {
        FaultyPsf.Stub hasty = FaultyPsf.stub(worker).withDeadline(Duration.ofMillis(300));
        assertThat(failure(Code.TIMED_OUT, () -> hasty.call(w, Fault.NEVER).await()))
                .hasMessageContaining("acceptance.faulty on tensor \"w\"");
    }

    @Test
    void aFunctionWithoutHandlerIsNamed() {
        assertThat(failure(
                        Code.UNKNOWN_FUNCTION,
                        () -> UnregisteredPsf.stub(worker).call(w).await()))
                .hasMessageContaining("\"acceptance.unregistered\"")
                .hasMessageContaining("server 0 (127.0.0.1:");
    }

    @Test
    void aWorkerBuiltFromAnotherSchemaIsToldBoth() {
        assertThat(failure(Code.SCHEMA_MISMATCH, () -> worker.call(new OtherPull(), w, null, CallOptions.DEFAULT)))
                .hasMessageContaining("psf.dense.pull at SHARD (w:tensor, rows:i32)")
                .hasMessageContaining(DensePullPsf.FUNCTION.info().schema());
    }

    /** The builtin pull as it might be declared in another version of a user's jar. */
    private static final class OtherPull extends Function<TensorId, String> {
        OtherPull() {
            super(FunctionInfo.of(
                    "psf.dense.pull", Place.SHARD, true, "psf.dense.pull at SHARD (w:tensor, rows:i32) -> ()"));
        }

        @Override
        public @Nullable TensorId target(TensorId request) {
            return request;
        }

        @Override
        public void write(TensorId request, Routing routing, int part, TupleWriter out) {}

        @Override
        public TensorId read(TupleReader in) {
            return in.target();
        }

        @Override
        public void writeAnswer(String answer, TupleWriter out) {}

        @Override
        public Merge<String> merge(TensorId request, Routing routing, @Nullable String into) {
            throw new AssertionError("not reached");
        }
    }

    @Test
    void garbageOnAServersPortIsAnsweredAndCutOff() throws Exception {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            byte[] garbage = new byte[1 + random.nextInt(300)];
            random.nextBytes(garbage);
            if (round % 2 == 0) {
                garbage[0] &= 0x7f; // something that looks like a length
            }
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(),
                    cluster.servers().get(round % 2).port())) {
                socket.getOutputStream().write(garbage);
            }
        }
        assertThat(told("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII)))
                .contains("not a psf frame");
    }

    @Test
    void aFrameOfAStrangerIsRefused() throws Exception {
        ByteBuffer frame = ByteBuffer.allocate(48).order(ByteOrder.LITTLE_ENDIAN);
        FunctionInfo info = DensePullPsf.FUNCTION.info();
        frame.putInt(48)
                .put((byte) 0xB1)
                .put((byte) 0)
                .putShort((short) 1)
                .putInt(info.id())
                .putInt(info.fingerprint())
                .putInt(w.number())
                .putInt(0)
                .putLong(99)
                .putInt(1000);
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), cluster.servers().get(0).port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(frame.array());
            byte[] header = socket.getInputStream().readNBytes(48);
            int length = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt();
            byte[] answer = socket.getInputStream().readNBytes(length - 48);
            assertThat(new String(answer, StandardCharsets.UTF_8)).contains("before the hello of the connection");
        }
    }

    private static String told(byte[] bytes) throws Exception {
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), cluster.servers().get(0).port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(bytes);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

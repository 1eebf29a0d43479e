package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.TransportConfig.Kind;
import io.psf.runtime.spi.transport.FramePool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Bits that are flipped on the way: every call ends, and so does the worker. */
@Tag("long")
@Timeout(120)
final class FlippedBitsTest {
    private static final int REQUEST = 0xb1;
    private static final int ANSWER = 0xb2;
    private static final int ROWS = 2000;

    private final List<Flipping> proxies = new ArrayList<>();

    /** Null in a test that starts the nodes one by one. */
    private @Nullable PsCluster cluster;

    private Worker start(Kind kind, Duration deadline) {
        return start(TransportConfig.usual().withKind(kind).withSpin(Duration.ZERO), deadline);
    }

    private Worker start(TransportConfig over, Duration deadline) {
        PsCluster started = PsCluster.builder()
                .servers(2)
                .workers(1)
                .over(over)
                .deadline(deadline)
                .heartbeatLimit(Duration.ofSeconds(2))
                .aroundWorkers(inner -> {
                    proxies.add(new Flipping(inner, 7));
                    return proxies.get(0);
                })
                .start();
        cluster = started;
        return started.worker();
    }

    @AfterEach
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
        proxies.forEach(Flipping::close);
    }

    private static void push(Worker worker, TensorId w) {
        float[] ones = new float[ROWS];
        Arrays.fill(ones, 1f);
        Tensors.push(worker, w, ones).await();
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(GivenTime.nanos() - begin);
    }

    /** Byte 2 is of the length: the frame seems to be longer by 64 KB or so than it is. */
    @ParameterizedTest
    @CsvSource({"TCP, 0xb1", "TCP, 0xb2", "NETTY, 0xb1", "NETTY, 0xb2"})
    void aFrameThatSeemsLongerThanItIsDelaysItsCallByTheHeartbeatsLimit(Kind kind, String frame) {
        Worker worker = start(kind, Duration.ofSeconds(60));
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", ROWS));
        push(worker, w);
        long begin = GivenTime.nanos();
        proxies.get(0).flipNext(Integer.decode(frame), 2, 1);
        push(worker, w);
        assertThat(proxies.get(0).flips()).isEqualTo(1);
        assertThat(Tensors.pull(worker, w)).containsOnly(2f);
        assertThat(since(begin)).isLessThan(Duration.ofSeconds(20));
    }

    /** Byte 24 is of the call's number: the answer fits no call. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "NETTY"})
    void aWorkerWhoseLastQuestionIsNotAnsweredCloses(Kind kind) {
        Worker worker = start(kind, Duration.ofSeconds(60));
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", ROWS));
        push(worker, w);
        long begin = GivenTime.nanos();
        proxies.get(0).flipNext(REQUEST, 24, 6);
        worker.close();
        assertThat(proxies.get(0).flips()).isEqualTo(1);
        assertThat(since(begin)).isLessThan(Duration.ofSeconds(20));
    }

    /** An answer whose call is damaged is lost; the call ends at its deadline, and the next one does well. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "NETTY"})
    void aCallWhoseAnswerIsLostEndsAtItsDeadline(Kind kind) {
        Worker worker = start(kind, Duration.ofSeconds(2));
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", ROWS));
        proxies.get(0).flipNext(ANSWER, 24, 6);
        long begin = System.nanoTime();
        long given = GivenTime.nanos();
        PsException e = catchThrowableOfType(PsException.class, () -> push(worker, w));
        assertThat(e.code()).isEqualTo(Code.TIMED_OUT);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        assertThat(since(given)).isLessThan(Duration.ofSeconds(10));
        push(worker, w);
        assertThat(Tensors.pull(worker, w)).containsOnly(2f);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "NETTY"})
    void everyCallEndsByItsDeadlineAndTheWorkerCloses(Kind kind) {
        Duration deadline = Duration.ofSeconds(1);
        Worker worker = start(kind, deadline);
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", ROWS));
        proxies.get(0).flipOneIn(10_000);
        int failed = 0;
        while (failed < 4) { // the test's time limit ends it if no call fails
            long begin = GivenTime.nanos();
            try {
                push(worker, w);
            } catch (PsException e) {
                failed++;
            }
            assertThat(since(begin)).isLessThan(deadline.plusSeconds(5));
        }
        long begin = GivenTime.nanos();
        try {
            worker.close();
        } catch (PsException e) {
            assertThat(e.code()).as("a server is lost").isEqualTo(Code.UNAVAILABLE);
        }
        assertThat(since(begin)).isLessThan(deadline.plusSeconds(15));
    }

    /** With checksums, a damaged frame ends its connection; the calls are sent again, and each runs once. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "NETTY"})
    void checksumsMakeTheSumsExact(Kind kind) {
        Worker worker = start(
                TransportConfig.usual().withKind(kind).withSpin(Duration.ZERO).withChecksum(true),
                Duration.ofSeconds(60));
        trainExactly(worker);
        worker.close();
    }

    /** The worker's own setting is off: the server asks for checksums in the hello. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "NETTY"})
    void aServersSettingIsEnough(Kind kind) throws Exception {
        TransportConfig off = TransportConfig.usual().withKind(kind).withSpin(Duration.ZERO);
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1))) {
            CompletableFuture<Server> starting = CompletableFuture.supplyAsync(() ->
                    Server.start(ServerConfig.of("127.0.0.1", scheduler.port()).withTransport(off.withChecksum(true))));
            FramePool pool = Defaults.pool();
            try (Flipping proxy = new Flipping(Defaults.transport(off, pool), 7)) {
                proxies.add(proxy);
                Worker worker =
                        Worker.connect(WorkerConfig.of("127.0.0.1", scheduler.port()), Network.shared(proxy, pool));
                Server server = starting.get();
                trainExactly(worker);
                worker.close();
                server.awaitTermination();
            }
        }
    }

    private void trainExactly(Worker worker) {
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", ROWS));
        TensorId large = Tensors.init(worker, TensorSpec.dense("large", 100_000));
        float[] many = new float[100_000];
        Arrays.fill(many, 1f);
        proxies.get(0).flipOneIn(100_000);
        int connections = proxies.get(0).connections();
        for (int round = 1; round <= 150; round++) {
            push(worker, w);
            assertThat(Tensors.pull(worker, w)).containsOnly(round);
            if (round % 10 == 0) {
                Tensors.push(worker, large, many).await();
                assertThat(Tensors.pull(worker, large)).containsOnly((float) Math.floorDiv(round, 10));
            }
        }
        proxies.get(0).flipOneIn(0);
        assertThat(proxies.get(0).flips()).as("flipped bits").isGreaterThan(25);
        assertThat(proxies.get(0).connections() - connections)
                .as("new connections")
                .isGreaterThan(10);
    }
}

package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames that are lost, each with its connection: a worker goes on while calls are answered, and no longer. */
@Tag("long")
@Timeout(120)
final class LostFramesTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final List<Losing> transports = new CopyOnWriteArrayList<>();

    private enum Over {
        MEMORY,
        TCP,
        NETTY,
        SHM
    }

    private UnaryOperator<Transport> losing(LongPredicate frames) {
        return inner -> {
            Losing losing = new Losing(inner, frames);
            transports.add(losing);
            return losing;
        };
    }

    private static PsCluster.Builder over(Over over) {
        PsCluster.Builder builder = PsCluster.builder().reconnectLimit(LIMIT);
        return over == Over.MEMORY
                ? builder
                : builder.over(TransportConfig.usual().withKind(TransportConfig.Kind.valueOf(over.name())));
    }

    private long connections() {
        return transports.stream().mapToLong(Losing::connections).sum();
    }

    /** Pushes ones for a multiple of the limit, with as many pushes under way at a time. Returns their number. */
    private int push(Worker worker, TensorId w, int underWay) {
        float[] ones = new float[100];
        Arrays.fill(ones, 1);
        ArrayDeque<Pending<?>> pending = new ArrayDeque<>();
        int pushes = 0;
        long until = System.nanoTime() + LIMIT.multipliedBy(2).toNanos();
        while (System.nanoTime() - until < 0 || connections() < 20) {
            pending.add(Tensors.push(worker, w, ones));
            pushes++;
            if (pending.size() == underWay) {
                pending.remove().await();
            }
        }
        pending.forEach(Pending::await);
        return pushes;
    }

    /** Of 9 and more calls under way, the new connection loses one each time that they are sent again. */
    @ParameterizedTest
    @CsvSource({"MEMORY,21", "TCP,9", "NETTY,21", "SHM,21"})
    void aWorkerGoesOnForAsLongAsCallsAreAnswered(Over over, int underWay) {
        AtomicBoolean on = new AtomicBoolean();
        try (PsCluster cluster = over(over)
                .aroundWorkers(losing(number -> on.get() && number % 10 == 0))
                .start()) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 100));
            on.set(true);
            int pushes = push(cluster.worker(), w, underWay);
            on.set(false);
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(pushes);
        }
    }

    /** The server's answers are lost, too: with each of them the connection over which the next ones would come. */
    @Test
    void answersMayBeLostToo() {
        AtomicBoolean on = new AtomicBoolean();
        try (PsCluster cluster = over(Over.TCP)
                .aroundWorkers(losing(number -> on.get() && number % 10 == 0))
                .aroundServers(losing(number -> on.get() && number % 10 == 0))
                .start()) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 100));
            on.set(true);
            int pushes = push(cluster.worker(), w, 21);
            on.set(false);
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(pushes);
        }
    }

    @Test
    void aWorkerGivesUpInTimeIfNothingIsAnswered() {
        AtomicBoolean on = new AtomicBoolean();
        try (PsCluster cluster = over(Over.TCP)
                .asService() // the server stays, though the worker is lost to the scheduler after a second
                .aroundWorkers(losing(number -> on.get()))
                .start()) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            on.set(true);
            long begun = System.nanoTime();
            long given = GivenTime.nanos();
            PsException e = catchThrowableOfType(
                    PsException.class,
                    () -> Tensors.push(cluster.worker(), w, new float[4]).await());
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(LIMIT);
            assertThat(Duration.ofNanos(GivenTime.nanos() - given)).isLessThan(LIMIT.plusSeconds(8));
            assertThat(e.code()).isEqualTo(Code.UNAVAILABLE);
            assertThat(e.detail())
                    .matches(
                            "server 0 \\(127\\.0\\.0\\.1:\\d+\\): not connected again, and no call answered: \\d+ attempts in"
                                    + " \\d+ ms \\(limit: 2000 ms\\), the last one: closed before the hello was answered: .*")
                    .doesNotContain("another program");
        }
    }

    /** The hello is answered each time, and the call is lost each time: this is no progress either. */
    @Test
    void aWorkerGivesUpInTimeIfOnlyHellosAreAnswered() {
        AtomicBoolean on = new AtomicBoolean();
        AtomicLong base = new AtomicLong();
        try (PsCluster cluster = over(Over.MEMORY)
                .aroundWorkers(losing(number -> on.get() && number > base.get() && (number - base.get()) % 3 == 1))
                .start()) {
            TensorId w = Tensors.init(cluster.worker(), TensorSpec.dense("w", 4));
            base.set(transports.get(0).frames());
            on.set(true);
            PsException e = catchThrowableOfType(
                    PsException.class,
                    () -> Tensors.push(cluster.worker(), w, new float[4]).await());
            assertThat(e.detail())
                    .contains("not connected again, and no call answered")
                    .contains("the last one: the new connection broke before all calls without an answer were sent");
        }
    }
}

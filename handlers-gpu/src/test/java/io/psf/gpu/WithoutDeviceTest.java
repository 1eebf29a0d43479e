package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.gpu.driver.Cuda;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The log and the errors of servers that are given a device which this machine does not have. */
class WithoutDeviceTest {
    private static final ListAppender<ILoggingEvent> LOG = new ListAppender<>();

    @TempDir
    static Path checkpoints;

    private static PsCluster cluster;
    private static Worker worker;

    @BeforeAll
    static void start() {
        Assumptions.assumeTrue(Cuda.unavailable().isPresent(), "not run, since this machine has a GPU");
        Logger root = (Logger) LoggerFactory.getLogger("io.psf");
        LOG.start();
        root.addAppender(LOG);
        cluster = PsCluster.builder()
                .servers(1)
                .devices(0)
                .checkpoints(checkpoints)
                .start();
        worker = cluster.worker();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static List<String> log() {
        return LOG.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void theLogSaysInOneSentenceWhyTheDeviceIsNotUsed() {
        assertThat(log())
                .contains("device 0: not used, since " + Cuda.unavailable().orElseThrow())
                .contains("placements of shards: host");
    }

    @Test
    void handlersForDevicesAreNotInTheLogOfAServerWithoutOne() {
        assertThat(log()).noneMatch(line -> line.contains("DeviceShard"));
    }

    @Test
    void aTensorOnADeviceIsAnErrorThatNamesThePlacements() {
        assertThatThrownBy(
                        () -> Tensors.init(worker, TensorSpec.table("w", 10, 2).device()))
                .isInstanceOfSatisfying(
                        PsException.class,
                        failure -> assertThat(failure.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                .hasMessageContaining("placement of tensor \"w\": \"device\"")
                .hasMessageContaining("expected: one that this server has: host");
    }

    @Test
    void aTensorThatMayBeOnTheHostIsThere() {
        TensorId w = Tensors.init(worker, TensorSpec.table("v", 10, 2).deviceOrHost());
        Tensors.push(worker, w, new float[20]).await();
        assertThat(Tensors.pull(worker, w)).hasSize(20).containsOnly(0);
    }

    /**
     * The check that runs on a device, with its host's part alone: its names and steps are right before it meets a
     * card.
     */
    @Test
    void theCheckOfSavedTensorsPassesOnTheHost() {
        long seed = System.nanoTime();
        assertThatCode(() -> SavedAndLoaded.check(worker, List.of("host"), FloatType.FLOAT32, new Random(seed)))
                .as("seed %d", seed)
                .doesNotThrowAnyException();
    }
}

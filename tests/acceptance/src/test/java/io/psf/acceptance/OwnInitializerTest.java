package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Initializer;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.cli.LocalJob;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A user's own initializer, which the servers find on their class path by its name. */
@Timeout(60)
final class OwnInitializerTest {
    private static final int WIDTH = 24;
    private static final Initializer BY_NAME =
            Initializers.of("acceptance.identity", Map.of("width", WIDTH, "scale", 2.5));

    private static void assertIdentity(Worker worker, TensorSpec spec) {
        TensorId tensor = Tensors.init(worker, spec);
        float[] values = new float[2 * WIDTH * WIDTH];
        Tensors.pullRows(worker, tensor, LongStream.range(0, 2 * WIDTH).toArray(), values)
                .await();
        for (int i = 0; i < values.length; i++) {
            assertThat(values[i])
                    .as("element %s of %s", i, spec.declaration())
                    .isEqualTo(i / WIDTH == i % WIDTH ? 2.5f : 0);
        }
    }

    private static List<TensorSpec> specs(Initializer initializer) {
        return List.of(
                TensorSpec.dense("dense", 2 * WIDTH, WIDTH).initializer(initializer),
                TensorSpec.table("table", 2 * WIDTH, WIDTH).slices(7).initializer(initializer),
                TensorSpec.growing("growing", WIDTH).initializer(initializer));
    }

    @Test
    void tensorsBeginWithItsValuesOnAnyNumberOfServers() {
        for (int servers = 1; servers <= 3; servers++) {
            try (PsCluster cluster = Clusters.start(Over.TCP, servers, 1)) {
                specs(Initializers.of(new Identity(WIDTH, 2.5)))
                        .forEach(spec -> assertIdentity(cluster.worker(), spec));
            }
        }
    }

    @Test
    void serversInProcessesOfTheirOwnFindIt() throws Exception {
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(1)
                .onLine((node, line) -> {})
                .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            try (Worker worker = Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])))) {
                specs(BY_NAME).forEach(spec -> assertIdentity(worker, spec));
            }
        }
    }

    @Test
    void theNameAndTheRecordSelectTheSameInitializer() {
        assertThat(Initializers.of(new Identity(WIDTH, 2.5)))
                .isEqualTo(BY_NAME)
                .hasToString("acceptance.identity(scale=2.5, width=24)");
    }

    @Test
    void argumentsThatItDoesNotHaveAndNamesThatServersDoNotHaveAreRefused() {
        assertThatThrownBy(() -> Initializers.of("acceptance.identity", Map.of("width", WIDTH)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("argument \"scale\" of acceptance.identity: missing (expected: width, scale)");
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            TensorSpec spec =
                    TensorSpec.dense("w", 10).initializer(Initializers.of("acceptance.idnetity", Map.of("width", 1)));
            assertThatThrownBy(() -> Tensors.init(cluster.worker(), spec))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                    .hasMessageStartingWith(
                            "BAD_REQUEST: initializer: \"acceptance.idnetity\", which the class path does not have"
                                    + " (expected: acceptance.identity, ");
        }
    }
}

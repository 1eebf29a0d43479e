package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.runtime.Client;
import io.psf.runtime.Guest;
import io.psf.runtime.Scheduler;
import io.psf.runtime.Server;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that expect a cluster of a name. */
@Timeout(60)
final class ClusterNameTest {
    private static final String REFUSED =
            ": \"views\" (expected: \"clicks\"; is PSF_SCHEDULER the address of another cluster than"
                    + " PSF_CLUSTER?)";

    private static Settings settings(int port, String cluster) {
        Map<String, String> all =
                new HashMap<>(Map.of("PSF_SCHEDULER", "127.0.0.1:" + port, "PSF_SERVERS", "1", "PSF_WORKERS", "1"));
        if (!cluster.isEmpty()) {
            all.put("PSF_CLUSTER", cluster);
        }
        return Settings.of(all);
    }

    @Test
    void anotherClusterRefusesThem() {
        try (Scheduler scheduler = Scheduler.start(settings(0, "clicks").scheduler())) {
            int port = scheduler.port();
            assertThatThrownBy(() -> Server.start(settings(port, "views").server()))
                    .hasMessageContaining("BAD_REQUEST: cluster of this server" + REFUSED);
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(
                    () -> Server.start(settings(port, "clicks").server()));
            try (Worker worker = Worker.connect(settings(port, "").worker());
                    Server there = server.join()) {
                assertThatThrownBy(() -> Worker.connect(settings(port, "views").worker()))
                        .hasMessageContaining("BAD_REQUEST: cluster of this worker" + REFUSED);
                assertThatThrownBy(() -> Client.connect(settings(port, "views").worker()))
                        .hasMessageContaining("BAD_REQUEST: cluster of this client" + REFUSED);
                assertThatThrownBy(() -> Guest.visit(settings(port, "views").worker()))
                        .hasMessageContaining("BAD_REQUEST: cluster of this worker" + REFUSED);
                try (Client client = Client.connect(settings(port, "clicks").worker())) {
                    assertThat(client.members()).hasSize(2);
                }
                assertThat(there.rank() + worker.rank()).isZero();
            }
        }
    }
}

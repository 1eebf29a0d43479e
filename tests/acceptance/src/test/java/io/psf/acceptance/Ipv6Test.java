package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Scheduler;
import io.psf.runtime.Server;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster whose addresses are of IPv6, from its settings on. Skipped on a machine without IPv6. */
@Timeout(60)
final class Ipv6Test {
    @BeforeEach
    void onlyWithIpv6() {
        boolean hasIpv6;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getAllByName("::1")[0])) {
            hasIpv6 = socket.getLocalPort() > 0;
        } catch (IOException e) {
            hasIpv6 = false;
        }
        assumeTrue(hasIpv6, "no IPv6 on this machine");
    }

    private static Settings settings(String scheduler, String transport) {
        return Settings.of(Map.of(
                "PSF_SCHEDULER", scheduler,
                "PSF_SERVERS", "2",
                "PSF_WORKERS", "1",
                "PSF_LISTEN", "[::1]:0",
                "PSF_JOIN_TIMEOUT", "30s",
                "PSF_TRANSPORT", transport));
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "shm", "tcp", "netty"})
    void aClusterListensAndConnectsOnIpv6(String transport) throws Exception {
        try (Scheduler scheduler =
                Scheduler.start(settings("[::1]:0", transport).scheduler())) {
            Settings joining = settings("[::1]:" + scheduler.port(), transport);
            CompletableFuture<Server> one = CompletableFuture.supplyAsync(() -> Server.start(joining.server()));
            CompletableFuture<Server> two = CompletableFuture.supplyAsync(() -> Server.start(joining.server()));
            try (Worker worker = Worker.connect(joining.worker())) {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10).slices(2));
                Tensors.push(worker, w, new float[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
                        .await();
                assertThat(Tensors.pull(worker, w)).containsOnly(1f);
                assertThat(worker.members().stream()
                                .filter(member -> member.role() == Role.SERVER)
                                .map(Object::toString))
                        .allMatch(name -> name.matches("server [01] \\(\\[::1]:\\d+\\)"))
                        .hasSize(2);
            }
            one.get().close();
            two.get().close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "netty"})
    void anAddressThatIsNotReachedIsNamedInBrackets(String transport) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getAllByName("::1")[0])) {
            port = free.getLocalPort();
        }
        Settings settings = settings("[::1]:" + port, transport);
        PsException e = catchThrowableOfType(
                PsException.class,
                () -> Worker.connect(settings.worker().withJoinTimeout(Duration.ofMillis(100)))
                        .close());
        assertThat(e.code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(e.detail())
                .startsWith("scheduler at [::1]:" + port + ": not reached within 100 ms: connecting to [::1]:" + port);
    }
}

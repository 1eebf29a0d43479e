package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.Scheduler;
import io.psf.runtime.Server;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that listen on one address, and tell the other nodes another one. */
@Timeout(60)
final class AdvertiseTest {
    private static Settings settings(String scheduler, String transport, Map<String, String> more) {
        Map<String, String> all = new HashMap<>(Map.of(
                "PSF_SCHEDULER", scheduler,
                "PSF_SERVERS", "1",
                "PSF_WORKERS", "1",
                "PSF_JOIN_TIMEOUT", "30s",
                "PSF_SECRET", "of this test alone",
                "PSF_TRANSPORT", transport));
        all.putAll(more);
        return Settings.of(all);
    }

    /** As in a pod: the nodes listen on all addresses, and are known by a name or an address. */
    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 127.0.0.1, auto",
        "0.0.0.0, localhost, tcp",
        "0.0.0.0, localhost, netty",
        "[::], [::1], auto",
        "[::], [::1], netty",
        "[::], localhost, tcp"
    })
    void nodesListenOnAllAddresses(String all, String known, String transport) throws Exception {
        assumeTrue(all.equals("0.0.0.0") || hasIpv6(), "no IPv6 on this machine");
        try (Scheduler scheduler =
                Scheduler.start(settings(all + ":0", transport, Map.of()).scheduler())) {
            Settings joining = settings(
                    known + ":" + scheduler.port(),
                    transport,
                    Map.of("PSF_LISTEN", all + ":0", "PSF_ADVERTISE", known));
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(() -> Server.start(joining.server()));
            try (Worker worker = Worker.connect(joining.worker());
                    Client client = Client.connect(joining.worker())) {
                use(worker);
                assertThat(Tensors.pull(client, TensorId.of("w"))).containsExactly(1, 2);
                Member member = member(worker);
                assertThat(member.address())
                        .isEqualTo(known + ":" + server.get().port());
            }
            server.get().close();
        }
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getAllByName("::1")[0])) {
            return socket.getLocalPort() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static void use(Worker worker) {
        TensorId w = Tensors.init(worker, TensorSpec.dense("w", 2));
        Tensors.push(worker, w, new float[] {1, 2}).await();
        assertThat(Tensors.pull(worker, w)).containsExactly(1, 2);
    }

    private static Member member(Worker worker) {
        return worker.members().stream()
                .filter(each -> each.role() == Role.SERVER)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void workersConnectToAMappedPort() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (Proxy mapped = new Proxy(port);
                Scheduler scheduler =
                        Scheduler.start(settings("127.0.0.1:0", "tcp", Map.of()).scheduler())) {
            Settings joining = settings(
                    "127.0.0.1:" + scheduler.port(),
                    "tcp",
                    Map.of("PSF_LISTEN", "127.0.0.1:" + port, "PSF_ADVERTISE", "localhost:" + mapped.port()));
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(() -> Server.start(joining.server()));
            try (Worker worker = Worker.connect(joining.worker())) {
                assertThat(member(worker).address()).isEqualTo("localhost:" + mapped.port());
                use(worker);
                assertThat(mapped.connections()).isEqualTo(1);
                mapped.cut();
                assertThat(Tensors.pull(worker, TensorId.of("w"))).containsExactly(1, 2);
                assertThat(mapped.connections()).isEqualTo(2);
            }
            server.get().close();
        }
    }
}

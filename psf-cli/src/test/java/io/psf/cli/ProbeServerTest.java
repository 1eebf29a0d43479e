package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.NodeHealth;
import io.psf.api.PsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProbeServerTest {
    private volatile NodeHealth health =
            new NodeHealth(true, "server: joins the cluster", false, "server: has not joined the cluster yet");
    private final ProbeServer probes = start(InetSocketAddress.createUnresolved("127.0.0.1", 0));

    private ProbeServer start(InetSocketAddress at) {
        return ProbeServer.start("PSF_HEALTH", at, ProbeServer.probes(() -> health));
    }

    @AfterEach
    void end() {
        probes.close();
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), probes.port());
    }

    private String ask(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: node\r\nUser-Agent: kube-probe/1.30\r\n\r\n";
    }

    @Test
    void aProbeHasAStatusAndALineThatSaysWhy() throws IOException {
        assertThat(ask(get("/live")))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 26\r\nConnection: close\r\n")
                .endsWith("\r\n\r\nserver: joins the cluster\n");
        assertThat(ask(get("/ready")))
                .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
                .endsWith("\r\n\r\nserver: has not joined the cluster yet\n");
        health = new NodeHealth(false, "server 1: stands still", true, "server 1: serves its slices");
        assertThat(ask(get("/live"))).startsWith("HTTP/1.1 503").endsWith("\r\n\r\nserver 1: stands still\n");
        assertThat(ask(get("/ready?verbose")))
                .startsWith("HTTP/1.1 200")
                .endsWith("\r\n\r\nserver 1: serves its slices\n");
    }

    @Test
    void otherRequestsAreRefused() throws IOException {
        assertThat(ask(get("/"))).startsWith("HTTP/1.1 404").endsWith("path: unknown (expected: /live, /ready)\n");
        assertThat(ask("POST /live HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 405");
        assertThat(ask("HEAD /live HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("Connection: close\r\n\r\n");
        assertThat(ask("\n\n")).startsWith("HTTP/1.1 405");
        assertThat(ask("x".repeat(9000))).isEmpty();
    }

    /** A connection ends after two seconds, and before that if there are many. */
    @Test
    void clientsThatSendNothingKeepNoProbeOut() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                Socket socket = connect();
                socket.getOutputStream().write('G');
                slow.add(socket);
            }
            long begin = System.nanoTime();
            assertThat(ask(get("/live"))).startsWith("HTTP/1.1 200");
            assertThat((System.nanoTime() - begin) / 1_000_000).isLessThan(1500);
            for (Socket socket : slow) {
                socket.setSoTimeout(10_000);
                assertThat(isEnded(socket)).isTrue();
            }
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    private static boolean isEnded(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void anAddressThatIsTakenIsOneSentence() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = InetSocketAddress.createUnresolved("127.0.0.1", taken.getLocalPort());
            assertThatThrownBy(() -> start(address).close())
                    .isInstanceOf(PsException.class)
                    .hasMessageStartingWith(
                            "UNAVAILABLE: PSF_HEALTH: listening on 127.0.0.1:" + taken.getLocalPort() + ": ");
        }
    }
}

package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.Guest;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another program, or another node, has the scheduler's port: the error says where, and what it sent. */
@Timeout(60)
final class ForeignProgramTest {
    private static final Duration JOIN = Duration.ofMillis(500);

    private enum Program {
        SILENT,
        HTTP,
        /** Sends a line that is shorter than a header, and keeps the connection open. */
        GREETING,
        CLOSING
    }

    private final List<Socket> open = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init") // by listen
    private ServerSocket socket;

    @BeforeEach
    void listen() throws IOException {
        socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        for (Socket peer : open) {
            peer.close();
        }
    }

    private void run(Program program) {
        Thread thread = new Thread(() -> serve(program), "foreign");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Program program) {
        try {
            while (true) {
                Socket peer = socket.accept();
                open.add(peer);
                switch (program) {
                    case HTTP -> {
                        say(peer, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
                        peer.close();
                    }
                    case GREETING -> say(peer, "220 \"mail\"\r\n");
                    case CLOSING -> peer.close();
                    case SILENT -> {}
                }
            }
        } catch (IOException e) {
            Thread.currentThread().interrupt(); // the test is over
        }
    }

    private static void say(Socket peer, String text) throws IOException {
        peer.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private WorkerConfig worker() {
        return WorkerConfig.of("127.0.0.1", socket.getLocalPort()).withJoinTimeout(JOIN);
    }

    private PsException failure(Program program, TransportConfig.Kind kind) {
        run(program);
        TransportConfig over = TransportConfig.usual().withKind(kind);
        return catchThrowableOfType(
                PsException.class,
                () -> Worker.connect(worker().withTransport(over)).close());
    }

    private String place() {
        return "scheduler (127.0.0.1:" + socket.getLocalPort() + "): ";
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "TCP", "NETTY"})
    void aProgramThatAnswersSomethingElseIsNamedByItsFirstBytes(TransportConfig.Kind kind) {
        PsException e = failure(Program.HTTP, kind);
        assertThat(e.code()).isEqualTo(Code.PROTOCOL);
        assertThat(e.detail())
                .startsWith(place() + "not a psf frame: kind: 0x2f, in the bytes \"HTTP/1.1 ")
                .endsWith("(expected: a psf scheduler; another program may listen there)");
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "TCP", "NETTY"})
    void aProgramThatSendsLessThanAHeaderIsNamedByItsBytes(TransportConfig.Kind kind) {
        PsException e = failure(Program.GREETING, kind);
        assertThat(e.code()).isEqualTo(Code.PROTOCOL);
        assertThat(e.detail())
                .startsWith(place() + "not a psf frame: kind: 0x22, in the bytes \"220 \\\"mail\\\"\\r\\n\" (expected")
                .endsWith("(expected: a psf scheduler; another program may listen there)");
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "TCP", "NETTY"})
    void aProgramThatIsSilentIsSaidToTakeTheConnection(TransportConfig.Kind kind) {
        PsException e = failure(Program.SILENT, kind);
        assertThat(e.code()).isEqualTo(Code.TIMED_OUT);
        assertThat(e.detail())
                .matches("\\Q" + place() + "\\Etook the connection and answered nothing within \\d+ ms"
                        + " \\(expected: a psf scheduler; another program may listen there\\)");
    }

    /** A scheduler that is being started behind a proxy looks the same, so the node goes on until its timeout. */
    @ParameterizedTest
    @EnumSource(names = {"AUTO", "TCP", "NETTY"})
    void aProgramThatClosesIsSaidToEndTheConnection(TransportConfig.Kind kind) {
        PsException e = failure(Program.CLOSING, kind);
        assertThat(e.code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(e.detail())
                .matches("\\Q" + place()
                        + "\\Enot joined: \\d+ attempts in \\d+ ms \\(limit: 500 ms\\), the last one: took the"
                        + " connection and ended it without an answer: .*")
                .endsWith("(expected: a psf scheduler; another program may listen there)");
        assertThat(open).as("connections until the timeout").hasSizeGreaterThan(2);
    }

    @Test
    void aServerSaysThatAProgramHasTheSchedulersPort() {
        run(Program.HTTP);
        PsException e = catchThrowableOfType(
                PsException.class,
                () -> Server.start(ServerConfig.of("127.0.0.1", socket.getLocalPort())
                                .withJoinTimeout(JOIN))
                        .close());
        assertThat(e.code()).isEqualTo(Code.PROTOCOL);
        assertThat(e.detail()).startsWith(place() + "not a psf frame: ");
    }

    @Test
    void aGuestSaysThatAProgramHasTheSchedulersPort() {
        run(Program.SILENT);
        PsException e = catchThrowableOfType(
                PsException.class, () -> Guest.visit(worker()).close());
        assertThat(e.code()).isEqualTo(Code.TIMED_OUT);
        assertThat(e.detail()).startsWith(place() + "took the connection and answered nothing within 500 ms");
    }

    @Test
    void aWorkerSaysThatAServerHasTheSchedulersPort() {
        try (PsCluster cluster = Clusters.start(Clusters.Over.TCP, 1, 1)) {
            int port = cluster.servers().get(0).port();
            PsException e = catchThrowableOfType(
                    PsException.class,
                    () -> Worker.connect(WorkerConfig.of("127.0.0.1", port).withJoinTimeout(JOIN))
                            .close());
            assertThat(e.code()).isEqualTo(Code.UNKNOWN_FUNCTION);
            assertThat(e.detail())
                    .isEqualTo("scheduler (127.0.0.1:" + port
                            + "): a psf server (expected: a psf scheduler, at its own port)");
        }
    }

    @Test
    void aWorkerOfAClusterThatIsNotCompleteSaysSo() {
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1))) {
            PsException e = catchThrowableOfType(
                    PsException.class,
                    () -> Worker.connect(WorkerConfig.of("127.0.0.1", scheduler.port())
                                    .withJoinTimeout(JOIN))
                            .close());
            assertThat(e.code()).isEqualTo(Code.TIMED_OUT);
            assertThat(e.detail())
                    .startsWith("scheduler (127.0.0.1:" + scheduler.port() + "): the cluster is not complete");
        }
    }
}

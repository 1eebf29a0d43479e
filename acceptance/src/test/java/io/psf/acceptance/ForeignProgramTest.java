package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another program has the scheduler's port. */
@Timeout(60)
final class ForeignProgramTest {
    enum Program {
        SILENT,
        HTTP,
        CLOSING
    }

    @ParameterizedTest
    @EnumSource
    void aWorkerSaysThatThePeerIsNoScheduler(Program program) throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> serve(socket, program), "foreign");
            thread.setDaemon(true);
            thread.start();
            PsException e = catchThrowableOfType(
                    PsException.class,
                    () -> Worker.connect(WorkerConfig.of("127.0.0.1", socket.getLocalPort())
                                    .withJoinTimeout(Duration.ofMillis(500)))
                            .close());
            assertThat(e.code()).isEqualTo(Code.PROTOCOL);
        }
    }

    private static void serve(ServerSocket socket, Program program) {
        List<Socket> open = new ArrayList<>();
        try {
            while (!socket.isClosed()) {
                Socket peer = socket.accept();
                open.add(peer);
                if (program == Program.HTTP) {
                    peer.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                }
                if (program != Program.SILENT) {
                    peer.close();
                }
            }
        } catch (IOException e) {
            open.forEach(ForeignProgramTest::close); // the test is over
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

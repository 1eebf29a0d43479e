package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What every transport does with peers that the system cannot tell dead from alive. */
public abstract class TcpTransportContract extends SocketTransportContract {
    /** How long a peer may be silent: long enough for signs of life on a loaded machine, too. */
    private Duration silence() throws Exception {
        return ample(Duration.ofMillis(400));
    }

    @Test
    void aPeerThatFallsSilentIsGivenUp() throws Exception {
        int port = transport.listen("127.0.0.1", 0, each -> atServer).port();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(requests(1));
            atServer.next();
            Channel taken = atServer.channels.get(0);
            taken.trust();
            Duration silence = silence();
            taken.keepAlive(silence.toNanos());
            byte[] heard = socket.getInputStream().readAllBytes();
            assertThat(heard).as("signs of life of this side").hasSizeGreaterThanOrEqualTo(2 * Frame.HEADER);
            assertThat(heard[4]).isEqualTo((byte) 0xB7);
            assertThat(atServer.closed.get())
                    .hasMessageContaining("silent (expected: a sign of life within " + silence.toMillis() + " ms)");
        }
    }

    @Test
    void aNodeThatFallsSilentIsGivenUp() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Channel channel = transport.connect("127.0.0.1", silent.getLocalPort(), each -> atClient);
            try (Socket accepted = silent.accept()) {
                channel.keepAlive(silence().toNanos());
                assertThat(atClient.closed.get().code()).isEqualTo(PsException.Code.UNAVAILABLE);
                assertThat(accepted.isConnected()).isTrue();
            }
        }
    }

    /** What waits to be sent to it would be kept for as long as the system tries. */
    @Test
    void aPeerThatTakesNothingIsGivenUpThoughNothingIsReadFromIt() throws Exception {
        int port = transport.listen("127.0.0.1", 0, each -> atServer).port();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(requests(1));
            atServer.next();
            Channel taken = atServer.channels.get(0);
            taken.trust();
            taken.setReading(false);
            for (int i = 0; i < 50; i++) {
                taken.offer(request(i, new float[100_000]));
            }
            taken.keepAlive(silence().toNanos());
            assertThat(atServer.closed.get()).hasMessageContaining("silent");
        }
    }

    @Test
    void endsThatLiveAreNotGivenUpThoughNothingIsSaidNorOneThatDoesNotRead() throws Exception {
        try (Transport other = newTransport()) {
            int port = transport.listen("127.0.0.1", 0, each -> atServer).port();
            Channel near = other.connect("127.0.0.1", port, each -> atClient);
            near.send(request(0), LATER);
            await().forever().until(() -> !atServer.channels.isEmpty());
            Channel far = atServer.channels.get(0);
            far.trust();
            Duration silence = silence().multipliedBy(2); // a busy machine may hold a thread up for longer than that
            near.keepAlive(silence.toNanos());
            far.keepAlive(silence.toNanos());
            await().atMost(Duration.ofHours(1))
                    .during(silence.multipliedBy(2))
                    .failFast(() -> !near.isOpen() || !far.isOpen())
                    .until(() -> true);
            far.setReading(false);
            for (int i = 0; i < 50; i++) {
                near.offer(request(i, new float[100_000]));
            }
            await().atMost(Duration.ofHours(1))
                    .during(silence.multipliedBy(2))
                    .failFast(() -> !near.isOpen() || !far.isOpen())
                    .until(() -> true);
        }
    }
}

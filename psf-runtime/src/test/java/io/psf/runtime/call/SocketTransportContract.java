package io.psf.runtime.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every transport over sockets does with peers that send anything but frames. */
public abstract class SocketTransportContract extends TransportContract {
    /** How long a peer of the transport under test may pause in the middle of a frame. */
    protected static final Duration PARTIAL_FRAME_LIMIT = Duration.ofMillis(300);

    @Test
    void garbageIsAnsweredWithAnErrorAndCutOff() throws Exception {
        assertThat(told("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html,application/json\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII)))
                .contains("not a psf frame: kind: 0x2f");
    }

    @Test
    void aStrangersGiantFrameIsRefusedBeforeItIsAllocated() throws Exception {
        byte[] header = header();
        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putInt(0, 1 << 30);
        assertThat(told(header)).contains("length: 1073741824 (expected: a multiple of 8 from 48 to 65536)");
    }

    @Test
    void halfAFrameIsAnsweredWithAnErrorAndCutOff() throws Exception {
        assertThat(told(java.util.Arrays.copyOf(header(), 20))).contains("half a frame: 20 of 48 bytes");
    }

    @Test
    void aFrameThatStopsInItsBodyIsAnsweredWithAnErrorAndCutOff() throws Exception {
        assertThat(told(header())).contains("half a frame: 48 of");
    }

    @Test
    void announcingGiantFramesTakesNoMemory() throws Exception {
        Transport.Listener listener = transport.listen("127.0.0.1", 0, atServer);
        byte[] small = new byte[request(1).length()];
        request(1).bytes().get(0, small);
        byte[] giant = header();
        ByteBuffer.wrap(giant).order(ByteOrder.LITTLE_ENDIAN).putInt(0, Frame.MAX_LENGTH);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port());
                sockets.add(socket);
                socket.getOutputStream().write(small);
                atServer.next();
                atServer.channels.get(i).trust();
                socket.getOutputStream().write(giant);
            }
            Socket honest = new Socket(InetAddress.getLoopbackAddress(), listener.port());
            sockets.add(honest);
            honest.getOutputStream().write(small);
            assertThat(atServer.next().call()).isEqualTo(1);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private byte[] header() {
        Frame frame = request(5, 1f, 2f, 3f);
        byte[] header = new byte[Frame.HEADER];
        frame.bytes().get(0, header);
        return header;
    }

    /** Sends bytes to a fresh port and answers the detail of the error that comes back before the end. */
    private String told(byte[] bytes) throws IOException, Exception {
        Transport.Listener listener = transport.listen("127.0.0.1", 0, atServer);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            byte[] all = socket.getInputStream().readAllBytes();
            assertThat(all.length).isGreaterThan(Frame.HEADER);
            assertThat(atServer.closed.get(10, TimeUnit.SECONDS).code()).isEqualTo(PsException.Code.PROTOCOL);
            assertThat(atServer.frames).isEmpty();
            return new String(all, Frame.HEADER, all.length - Frame.HEADER, StandardCharsets.UTF_8);
        }
    }
}

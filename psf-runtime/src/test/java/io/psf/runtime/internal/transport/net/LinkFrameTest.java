package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests for shared memory that are no such requests: the refusal says why. */
@Timeout(20)
final class LinkFrameTest {
    private final FramePool pool = new FramePool(1 << 20);

    private static final class Ignores implements Receiver {
        @Override
        public void received(Channel channel, Frame frame) {
            frame.release();
        }

        @Override
        public void closed(Channel channel, PsException cause) {}
    }

    /** Returns the text that a listener answers before it closes the connection. */
    private String told(byte[] bytes) throws IOException {
        Acceptor ignores = each -> new Ignores();
        try (Transport transport = new NetTransport(
                        pool, NetTransport.Sharing.WHERE_POSSIBLE, Duration.ZERO, ConnectionLimits.usual());
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(),
                        transport.listen("127.0.0.1", 0, ignores).port())) {
            socket.getOutputStream().write(bytes);
            byte[] all = socket.getInputStream().readAllBytes();
            return new String(all, Frame.HEADER, all.length - Frame.HEADER, StandardCharsets.UTF_8);
        }
    }

    private byte[] link(String name) {
        TupleWriter request = new TupleWriter();
        request.string(name);
        request.bytes(new byte[16]);
        return bytes(Frames.link(pool, PsException.Code.OK, request));
    }

    private static byte[] bytes(Frame frame) {
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(0, bytes);
        return bytes;
    }

    @Test
    void oneWithADamagedNameSaysSo() throws Exception {
        byte[] request = link("psf-0123");
        request[Frame.HEADER + 1] = 1; // the length of the name is 264
        assertThat(told(request)).contains("request for shared memory: damaged: ", "264");
    }

    @Test
    void oneThatIsTooLongSaysSo() throws Exception {
        assertThat(told(link("psf-".repeat(300))))
                .contains("request for shared memory: 1272 bytes (expected: at most 1024)");
    }

    @Test
    void oneBehindAnotherFrameSaysSo() throws Exception {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(bytes(Frames.ping(pool)));
        both.writeBytes(link("psf-0123"));
        assertThat(told(both.toByteArray()))
                .contains("request for shared memory: behind another frame (expected: the first on its connection)");
    }
}

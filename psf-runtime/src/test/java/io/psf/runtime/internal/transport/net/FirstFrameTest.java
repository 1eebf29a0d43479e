package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.transport.shm.SharedSegment;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class FirstFrameTest {
    private final FramePool pool = new FramePool(1 << 20);
    private final SharedSegment segment = segment();

    @SuppressWarnings("NullAway.Init") // by connect
    private SocketChannel peer;

    @SuppressWarnings("NullAway.Init") // by connect
    private SocketChannel socket;

    private static SharedSegment segment() {
        try {
            return SharedSegment.create(4 << 10);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            peer = SocketChannel.open(server.getLocalAddress());
            socket = server.accept();
            socket.configureBlocking(false);
        }
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        socket.close();
        segment.unlink();
    }

    private ByteBuffer request(byte[] token) {
        TupleWriter request = new TupleWriter();
        request.string(segment.name());
        request.bytes(token);
        return Frames.link(pool, PsException.Code.OK, request).bytes();
    }

    private Frame answer() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(Frame.HEADER).order(ByteOrder.LITTLE_ENDIAN);
        peer.read(header);
        ByteBuffer whole = ByteBuffer.allocate(header.getInt(0))
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(header.flip());
        while (whole.hasRemaining()) {
            peer.read(whole);
        }
        return Frame.of(whole.flip());
    }

    /** Reads until there is a wire: the bytes have been written, and arrive soon. */
    private static ByteWire end(Handshake handshake) throws IOException {
        ByteWire wire = null;
        while (wire == null) {
            wire = handshake.proceed();
        }
        return wire;
    }

    @Test
    void aRequestThatArrivesInPiecesIsAnsweredOnce() throws Exception {
        FirstFrame handshake = new FirstFrame(new SocketWire(socket), pool, true);
        ByteBuffer request = request(segment.token());
        @Nullable ByteWire wire = null;
        while (request.hasRemaining()) {
            assertThat(wire).isNull();
            peer.write(ByteBuffer.wrap(new byte[] {request.get()}));
            wire = request.hasRemaining() ? handshake.proceed() : end(handshake);
        }
        assertThat(wire).isInstanceOf(SharedWire.class);
        assertThat(answer().status()).isEqualTo(PsException.Code.OK);
    }

    @Test
    void aRequestThatIsDeclinedLeavesASocket() throws Exception {
        peer.write(request(segment.token()));
        ByteWire wire = end(new FirstFrame(new SocketWire(socket), pool, false));
        assertThat(wire).isInstanceOf(SocketWire.class);
        Frame answer = answer();
        assertThat(answer.status()).isEqualTo(PsException.Code.UNAVAILABLE);
        assertThat(answer.reader(null).string()).contains("not offered");
    }

    @Test
    void aWrongTokenIsDeclined() throws Exception {
        peer.write(request(new byte[16]));
        assertThat(end(new FirstFrame(new SocketWire(socket), pool, true))).isInstanceOf(SocketWire.class);
        assertThat(answer().status()).isEqualTo(PsException.Code.UNAVAILABLE);
    }

    /** The channel reads them: the first bytes of a request, of a frame that is too long, and of no frame. */
    @Test
    void otherBytesStayWithTheWire() throws Exception {
        for (long first : new long[] {0xb1_0000_0030L, 0xb5_0010_0000L, 0xb5_0000_0031L, 0x2f20_5445_47L}) {
            ByteBuffer bytes =
                    ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, first);
            peer.write(bytes);
            ByteWire wire = end(new FirstFrame(new SocketWire(socket), pool, true));
            assertThat(wire).isInstanceOf(SocketWire.class);
            assertThat(wire.already().getLong()).isEqualTo(first);
        }
    }

    @Test
    void aRequestThatCannotBeReadStaysWithTheWire() throws Exception {
        TupleWriter empty = new TupleWriter();
        ByteBuffer request = Frames.link(pool, PsException.Code.OK, empty).bytes();
        peer.write(request);
        ByteWire wire = end(new FirstFrame(new SocketWire(socket), pool, true));
        assertThat(wire.already().remaining()).isEqualTo(Frame.HEADER);
    }

    @Test
    void aPeerThatStopsIsGivenUp() throws Exception {
        FirstFrame handshake = new FirstFrame(new SocketWire(socket), pool, true);
        peer.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        while (handshake.received() < 3) {
            assertThat(handshake.proceed()).isNull();
        }
        assertThat(handshake.expected()).isEqualTo(Frame.HEADER);
        assertThat(handshake.giveUp().already().remaining()).isEqualTo(3);
    }

    @Test
    void anEndIsAnError() throws Exception {
        peer.close();
        FirstFrame handshake = new FirstFrame(new SocketWire(socket), pool, true);
        assertThatThrownBy(() -> Objects.requireNonNull(end(handshake))).isInstanceOf(EOFException.class);
    }
}

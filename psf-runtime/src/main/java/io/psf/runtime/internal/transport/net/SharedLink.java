package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.transport.shm.SharedSegment;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/**
 * The negotiation of shared memory on a new connection. The end that connected creates the memory and sends a request
 * as the first frame; the other end opens the memory and replies.
 */
final class SharedLink {
    /** The time that the other end has to reply. */
    private static final int LINK_MILLIS = 2000;

    /** The longest request, in bytes. */
    static final int LONGEST = 1 << 10;

    private static final int LONGEST_ANSWER = 64 << 10;

    private SharedLink() {}

    /**
     * Creates shared memory and offers it to the other end. Nothing else has been sent yet. Blocks until the reply.
     *
     * @param socket in blocking mode
     * @throws IOException if the other end is on another machine or cannot share memory; the socket cannot be used any
     *     more
     */
    static SharedWire propose(SocketChannel socket, FramePool pool) throws IOException {
        if (!isLocal(socket)) {
            throw new IOException("shared memory: the other end is elsewhere (expected: on this machine)");
        }
        SharedSegment segment = SharedSegment.create(SharedSegment.DEFAULT_CAPACITY);
        try {
            ask(socket, segment, pool);
        } finally {
            segment.unlink();
        }
        return new SharedWire(segment.pipe(), socket);
    }

    /** True if both ends have the same address: a loopback address, or one of this machine. */
    private static boolean isLocal(SocketChannel socket) throws IOException {
        return socket.getLocalAddress() instanceof InetSocketAddress here
                && socket.getRemoteAddress() instanceof InetSocketAddress there
                && here.getAddress().equals(there.getAddress());
    }

    private static void ask(SocketChannel socket, SharedSegment segment, FramePool pool) throws IOException {
        TupleWriter question = new TupleWriter();
        question.string(segment.name());
        question.bytes(segment.token());
        Frame asked = Frames.link(pool, Code.OK, question);
        while (asked.bytes().hasRemaining()) {
            socket.write(asked.bytes());
        }
        asked.release();
        socket.socket().setSoTimeout(LINK_MILLIS);
        ByteBuffer header = ByteBuffer.wrap(read(socket, Frame.HEADER)).order(ByteOrder.LITTLE_ENDIAN);
        int length = Frame.length(header, 0, LONGEST_ANSWER);
        ByteBuffer whole = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        whole.put(header).put(read(socket, length - Frame.HEADER)).flip();
        Frame answer = Frame.of(whole);
        if (answer.status() != Code.OK) {
            throw new IOException(answer.reader(null).string());
        }
    }

    private static byte[] read(SocketChannel socket, int n) throws IOException {
        byte[] bytes = socket.socket().getInputStream().readNBytes(n);
        if (bytes.length < n) {
            throw new EOFException("connection closed");
        }
        return bytes;
    }

    /**
     * Opens the shared memory that the other end has created.
     *
     * @param asked with the segment's name and token; not released
     * @param socket the connection that the request arrived over
     * @throws IOException if there is no such segment
     * @throws PsException with {@code PROTOCOL} if the frame is something else
     */
    static SharedWire accept(Frame asked, SocketChannel socket) throws IOException {
        TupleReader reader = asked.reader(null);
        SharedSegment segment = SharedSegment.open(reader.string(), reader.bytes());
        segment.unlink();
        return new SharedWire(segment.pipe(), socket);
    }

    /**
     * Returns why a request that has reached a channel is refused. The handshake passes on only those that it cannot
     * answer.
     *
     * @param asked not released
     * @param first true if it is the first frame of the connection
     */
    static PsException refusal(Frame asked, boolean first) {
        String what;
        if (!first) {
            what = "behind another frame (expected: the first on its connection)";
        } else if (asked.length() > LONGEST) {
            what = asked.length() + " bytes (expected: at most " + LONGEST + ")";
        } else {
            what = "late (expected: at once)"; // the handshake did not wait for the rest of it
            try {
                TupleReader reader = asked.reader(null);
                reader.string();
                reader.bytes();
            } catch (PsException e) {
                what = "damaged: " + e.detail();
            }
        }
        return new PsException(Code.PROTOCOL, "request for shared memory: " + what);
    }
}

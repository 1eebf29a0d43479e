package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.transport.shm.SharedSegment;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
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
    static final int LINK_MILLIS = 2000;

    /** The longest request, in bytes. */
    static final int LONGEST = 1 << 10;

    private static final int LONGEST_ANSWER = 64 << 10;

    private SharedLink() {}

    /** The ends do not share memory. The connection can be used, if it has TLS. */
    static final class Declined extends IOException {
        private static final long serialVersionUID = 1;

        Declined(String message) {
            super(message);
        }
    }

    /**
     * Creates shared memory and offers it to the other end. Nothing else has been sent yet. Blocks until the reply.
     *
     * @throws Declined if the other end is on another machine or cannot share memory
     * @throws IOException if the connection failed
     */
    static SharedWire propose(BlockingBytes bytes, FramePool pool) throws IOException {
        ByteWire wire = bytes.wire();
        if (!isLocal(wire.socket())) {
            throw new Declined("shared memory: the other end is elsewhere (expected: on this machine)");
        }
        SharedSegment segment = created();
        try {
            ask(bytes, segment, pool);
        } finally {
            segment.unlink();
        }
        return new SharedWire(segment.pipe(), wire.socket(), wire.certificate());
    }

    private static SharedSegment created() throws Declined {
        try {
            return SharedSegment.create(SharedSegment.DEFAULT_CAPACITY);
        } catch (IOException e) {
            Declined declined = new Declined(String.valueOf(e.getMessage()));
            declined.initCause(e);
            throw declined;
        }
    }

    /** True if both ends have the same address: a loopback address, or one of this machine. */
    private static boolean isLocal(SocketChannel socket) throws IOException {
        return socket.getLocalAddress() instanceof InetSocketAddress here
                && socket.getRemoteAddress() instanceof InetSocketAddress there
                && here.getAddress().equals(there.getAddress());
    }

    private static void ask(BlockingBytes bytes, SharedSegment segment, FramePool pool) throws IOException {
        TupleWriter question = new TupleWriter();
        question.string(segment.name());
        question.bytes(segment.token());
        Frame asked = Frames.link(pool, Code.OK, question);
        try {
            bytes.write(asked.bytes());
        } finally {
            asked.release();
        }
        ByteBuffer header = ByteBuffer.wrap(bytes.read(Frame.HEADER)).order(ByteOrder.LITTLE_ENDIAN);
        int length = Frame.length(header, 0, LONGEST_ANSWER);
        ByteBuffer whole = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        whole.put(header).put(bytes.read(length - Frame.HEADER)).flip();
        Frame answer = Frame.of(whole);
        if (answer.status() != Code.OK) {
            throw new Declined(answer.reader(null).string());
        }
    }

    /**
     * Opens the shared memory that the other end has created.
     *
     * @param asked with the segment's name and token; not released
     * @param wire that the request arrived over
     * @throws IOException if there is no such segment
     * @throws PsException with {@code PROTOCOL} if the frame is something else
     */
    static SharedWire accept(Frame asked, ByteWire wire) throws IOException {
        TupleReader reader = asked.reader(null);
        SharedSegment segment = SharedSegment.open(reader.string(), reader.bytes());
        segment.unlink();
        return new SharedWire(segment.pipe(), wire.socket(), wire.certificate());
    }

    /**
     * Returns why a request that has reached a channel is refused. The handshake passes on only requests that it cannot
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

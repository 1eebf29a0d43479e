package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads the beginning of a connection's first frame. If the frame requests shared memory, it is read and answered. The
 * bytes of any other frame stay with the wire that they came over, whose channel reads the rest of the frame.
 */
final class FirstFrame implements Handshake {
    private final ByteWire wire;
    private final FramePool pool;
    private final boolean mayShare;
    private ByteBuffer bytes = buffer(Frame.BEGINNING);

    /**
     * Creates the handshake of a new connection.
     *
     * @param mayShare true if this side shares memory
     */
    FirstFrame(ByteWire wire, FramePool pool, boolean mayShare) {
        this.wire = wire;
        this.pool = pool;
        this.mayShare = mayShare;
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public @Nullable ByteWire proceed() throws IOException {
        while (true) {
            if (wire.read(bytes) < 0) {
                throw new EOFException("connection closed");
            }
            if (bytes.hasRemaining()) {
                return null;
            }
            if (bytes.capacity() > Frame.BEGINNING) {
                return answer(Frame.of(bytes.flip()));
            }
            int length = bytes.getInt(0);
            boolean asks = Frame.Kind.LINK.isOf(bytes)
                    && length >= Frame.HEADER
                    && length <= SharedLink.LONGEST
                    && length % 8 == 0;
            if (!asks) {
                return giveUp();
            }
            bytes = buffer(length).put(bytes.flip());
        }
    }

    private ByteWire answer(Frame asked) throws IOException {
        TupleWriter answer = new TupleWriter();
        Code status = Code.OK;
        ByteWire agreed;
        try {
            if (!mayShare) {
                throw new IOException("shared memory: not offered (expected: a peer that offers it)");
            }
            agreed = SharedLink.accept(asked, wire);
        } catch (IOException e) {
            status = Code.UNAVAILABLE;
            answer.string(String.valueOf(e.getMessage()));
            agreed = wire;
        } catch (PsException e) { // the channel refuses such a frame
            bytes.position(bytes.limit());
            return giveUp();
        }
        Frame frame = Frames.link(pool, status, answer);
        try {
            wire.write(frame.bytes());
            if (frame.bytes().hasRemaining()) {
                throw new IOException("the reply about shared memory was not sent at once");
            }
        } finally {
            frame.release();
        }
        return agreed;
    }

    @Override
    public int received() {
        return bytes.position();
    }

    @Override
    public int expected() {
        return Math.max(bytes.capacity(), Frame.HEADER);
    }

    @Override
    public ByteWire giveUp() {
        return wire.with(bytes.flip());
    }
}

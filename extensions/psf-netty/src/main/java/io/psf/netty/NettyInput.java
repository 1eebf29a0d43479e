package io.psf.netty;

import io.netty.buffer.ByteBuf;
import io.psf.runtime.spi.transport.Checksum;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.DamagedFrameException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Assembles frames from received bytes, directly in the memory of each frame. Runs on the event loop. */
final class NettyInput {
    /** The receiver has to admit longer frames before their memory is allocated. */
    private static final int SMALL = 16 << 10;

    private final FramePool pool;
    private final IntPredicate admits;
    /** The beginning of the next frame: its prefix, if there is one, and its header. */
    private final ByteBuffer header = ByteBuffer.allocate(Checksum.PREFIX + Frame.HEADER)
            .order(ByteOrder.LITTLE_ENDIAN)
            .limit(Frame.HEADER);

    private volatile boolean trusted;
    private @Nullable Frame frame;
    private int announced;
    private long received;
    private boolean waiting;
    /** Verifies the frames; null if they have no checksums. */
    private @Nullable Checksum checksum;

    private int prefix;
    /** The checksum of the frame's body. */
    private int ofBody;

    /**
     * Creates a reader.
     *
     * @param admits true if the memory of a large frame may be allocated now; if false, it is called again later
     */
    NettyInput(FramePool pool, IntPredicate admits) {
        this.pool = pool;
        this.admits = admits;
    }

    /** Allows frames of any length from now on. Any thread may call it. */
    void trust() {
        trusted = true;
    }

    /** Expects a checksum in front of each later frame. */
    void check() {
        checksum = new Checksum();
        prefix = Checksum.PREFIX;
        header.limit(prefix + Frame.HEADER);
    }

    /** True if the last {@link #read} stopped at a frame whose memory may not be allocated yet. */
    boolean isWaiting() {
        return waiting;
    }

    /** Returns the number of bytes received. */
    long received() {
        return received;
    }

    /** Returns the received bytes of an unfinished frame. */
    int partial() {
        return frame == null ? header.position() : frame.bytes().position();
    }

    /** Returns the least length of that frame, in bytes. */
    int expected() {
        return frame == null ? Frame.HEADER : announced;
    }

    /** Reads a part of a frame. Returns the frame once it is complete; else null. */
    @Nullable
    Frame read(ByteBuf in) throws DamagedFrameException {
        Frame into = frame == null ? begin(in) : frame;
        if (into == null) {
            return null;
        }
        if (!into.bytes().hasRemaining() && into.bytes().limit() < announced) {
            into = into.grown(pool, announced);
        }
        frame = into;
        ByteBuffer bytes = into.bytes();
        int n = Math.min(bytes.remaining(), in.readableBytes());
        if (n > 0) {
            received += n;
            in.readBytes(bytes.slice(bytes.position(), n));
            bytes.position(bytes.position() + n);
        }
        if (bytes.position() < announced) {
            return null;
        }
        frame = null;
        bytes.flip();
        if (checksum != null) {
            checksum.requireBody(into, ofBody);
        }
        return into;
    }

    /** Reads the header of a frame. Returns null if a part is missing, or the frame has to wait. */
    private @Nullable Frame begin(ByteBuf in) throws DamagedFrameException {
        int n = Math.min(header.remaining(), in.readableBytes());
        received += n;
        in.readBytes(header.duplicate().limit(header.position() + n));
        header.position(header.position() + n);
        if (header.hasRemaining()) {
            if (header.position() >= Frame.BEGINNING && prefix == 0) {
                Frame.requireKind(header, 0, header.position());
            }
            return null;
        }
        if (checksum != null) {
            checksum.requireHeader(header, 0);
            ofBody = Checksum.ofBody(header, 0);
        }
        int length = Frame.length(header, prefix, trusted ? Frame.MAX_LENGTH : ConnectionLimits.STRANGER_FRAME);
        waiting = length > SMALL && !admits.test(length);
        if (waiting) {
            return null;
        }
        announced = length;
        Frame begun = Frame.arriving(pool, length);
        begun.bytes().put(header.position(prefix));
        header.position(0);
        return begun;
    }

    /** Gives back the memory of an unfinished frame. */
    void release() {
        if (frame != null) {
            frame.release();
            frame = null;
        }
    }
}

package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.transport.shm.SharedPipe;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The frames that arrive over shared memory. A large frame that is contiguous in the ring is read in place: it is lent,
 * and no later frame is read before it is given back. Small frames, and frames that are too large for the ring, are
 * copied.
 */
final class RingFrames implements FrameSource, Frame.Lender {
    private static final Logger LOG = LoggerFactory.getLogger(RingFrames.class);

    /** Shorter frames are copied, which costs less than lending them. */
    private static final int SMALL = 4 << 10;

    private static final int WORD = 8;

    private final SharedWire wire;
    private final SharedPipe pipe;
    private final FramePool pool;
    private final boolean lends;
    private final IntPredicate admits;
    private final Runnable onGivenBack;
    private final ByteBuffer word = ByteBuffer.allocate(WORD).order(ByteOrder.LITTLE_ENDIAN);

    /**
     * The length of the lent frame; 0 if none is lent. Set by the reading thread, cleared by the thread that gives it
     * back.
     */
    private volatile int lent;

    private volatile boolean trusted;
    /**
     * A large frame that is being copied into its own memory; null if none is. Its final length is {@code announced}.
     */
    private @Nullable Frame large;

    private int announced;
    /** The bytes of the next frame in the ring, as of the last check. */
    private int seen;

    private long received;
    private long turnEnds = TURN;

    /**
     * Creates the source of a wire's frames.
     *
     * @param lends true if frames may be read in place
     * @param onGivenBack called when a frame has been given back, so that reading continues
     */
    RingFrames(SharedWire wire, FramePool pool, boolean lends, Runnable onGivenBack) {
        this(wire, pool, lends, length -> true, onGivenBack);
    }

    /**
     * Creates the source of a wire's frames.
     *
     * @param lends true if frames may be read in place
     * @param admits true if the memory of a large frame to be copied may be allocated now; if false, it is called again
     *     later
     * @param onGivenBack called when a frame has been given back, so that reading continues
     */
    RingFrames(SharedWire wire, FramePool pool, boolean lends, IntPredicate admits, Runnable onGivenBack) {
        this.wire = wire;
        this.pipe = wire.pipe();
        this.pool = pool;
        this.lends = lends;
        this.admits = admits;
        this.onGivenBack = onGivenBack;
    }

    @Override
    public @Nullable Frame next() throws IOException {
        seen = 0;
        if (lent > 0 || received >= turnEnds) {
            return null;
        }
        if (large != null) {
            return rest(large);
        }
        seen = pipe.available(WORD);
        while (seen >= WORD) {
            long head = pipe.word();
            if ((head >>> 32 & 0xff) != SharedPipe.GAP) {
                return frame(head);
            }
            skipGap((int) head);
        }
        return null;
    }

    private void skipGap(int length) throws IOException {
        if (length != pipe.untilEnd() || pipe.available(length) < length) {
            throw new PsException(
                    Code.PROTOCOL, "gap in a ring: " + length + " bytes (expected: " + pipe.untilEnd() + ", its rest)");
        }
        pipe.skip(length);
        seen = pipe.available(WORD);
    }

    private @Nullable Frame frame(long head) throws IOException {
        int length =
                Frame.length(word.putLong(0, head), 0, trusted ? Frame.MAX_LENGTH : ConnectionLimits.STRANGER_FRAME);
        boolean mayLend = lends && length > SMALL && length <= pipe.mostWhole() && length <= pipe.untilEnd();
        if (!mayLend && length > SMALL && !admits.test(length)) {
            return null;
        }
        if (!mayLend && length > SMALL) {
            announced = length;
            large = Frame.arriving(pool, length);
            return rest(large);
        }
        seen = pipe.available(length);
        if (seen < length) {
            return null;
        }
        seen = 0;
        received += length;
        if (mayLend) {
            lent = length;
            return Frame.lent(pipe.view(length), this);
        }
        Frame frame = pool.acquire(length);
        wire.read(frame.bytes());
        frame.bytes().flip();
        return frame;
    }

    private @Nullable Frame rest(Frame arriving) throws IOException {
        while (true) {
            ByteBuffer bytes = arriving.bytes();
            int n = wire.read(bytes);
            received += n;
            if (bytes.hasRemaining() || n < 0) {
                large = arriving;
                return null;
            }
            if (bytes.position() == announced) {
                large = null;
                bytes.flip();
                return arriving;
            }
            arriving = arriving.grown(pool, announced);
            large = arriving; // set even if the next growth finds no memory
        }
    }

    @Override
    public void giveBack(ByteBuffer bytes) {
        try {
            wire.skip(lent);
        } catch (IOException e) {
            LOG.debug("giving back a frame: {}", e.toString()); // the next read fails, too
        } finally {
            lent = 0;
            onGivenBack.run();
        }
    }

    @Override
    public int fetch() {
        boolean more = received >= turnEnds;
        turnEnds = received + TURN;
        return more ? 1 : wire.hasEnded() && lent == 0 ? -1 : 0;
    }

    @Override
    public boolean mayHaveMore() {
        return false;
    }

    @Override
    public boolean holdsBytes() {
        return false; // a ring is polled
    }

    @Override
    public void trust() {
        trusted = true;
    }

    @Override
    public void check() {
        throw new PsException(Code.PROTOCOL, "checksums: over shared memory (expected: over a network)");
    }

    @Override
    public int partial() {
        return large == null ? seen : large.bytes().position();
    }

    @Override
    public int expected() {
        return large == null ? Frame.HEADER : announced;
    }

    @Override
    public long received() {
        return received + seen;
    }

    @Override
    public boolean prepareToSleep() throws IOException {
        return lent > 0 || pipe.prepareToSleep(large == null ? seen : 0);
    }

    @Override
    public void release() {
        if (large != null) {
            large.release();
            large = null;
        }
    }
}

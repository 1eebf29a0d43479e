package io.psf.runtime.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.transport.ConnectionLimits;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.shm.SharedPipe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The frames that come over shared memory. Large ones are read where they lie, if they lie there in one piece: such a
 * frame is lent, and nothing that comes after it is read before it is given back. Small ones, and those that are too
 * large for the ring, are copied.
 */
final class RingFrames implements FrameSource, Frame.Lender {
    private static final Logger LOG = LoggerFactory.getLogger(RingFrames.class);

    /** Shorter frames are copied: that is less than looking after one that is lent. */
    private static final int SMALL = 4 << 10;

    private static final int WORD = 8;

    /** How much is read in one go, so that others have their turn. */
    private static final long TURN = 1 << 20;

    private final SharedWire wire;
    private final SharedPipe pipe;
    private final FramePool pool;
    private final boolean lends;
    private final IntPredicate admits;
    private final Runnable onGivenBack;
    private final ByteBuffer word = ByteBuffer.allocate(WORD).order(ByteOrder.LITTLE_ENDIAN);

    /** Bytes of the frame that is lent; 0 if none is. Set by who reads, cleared by who gives back. */
    private volatile int lent;

    private volatile boolean trusted;
    /** A frame that is being read into its own memory, and how long it is to be. */
    private @Nullable Frame large;

    private int announced;
    /** How much of the next frame lies in the ring, as it was seen last. */
    private int seen;

    private long received;
    private long turnEnds = TURN;

    /**
     * The frames of a wire.
     *
     * @param lends whether frames may be read where they lie
     * @param onGivenBack told that a frame is given back, so that reading goes on
     */
    RingFrames(SharedWire wire, FramePool pool, boolean lends, Runnable onGivenBack) {
        this(wire, pool, lends, length -> true, onGivenBack);
    }

    /**
     * The frames of a wire.
     *
     * @param lends whether frames may be read where they lie
     * @param admits whether the memory of a large frame that is copied may be taken now; if not, it is asked again later
     * @param onGivenBack told that a frame is given back, so that reading goes on
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
            large = arriving; // also if there is no memory to grow once more
        }
    }

    @Override
    public void giveBack(ByteBuffer bytes) {
        try {
            wire.skip(lent);
        } catch (IOException e) {
            LOG.debug("giving back a frame: {}", e.toString()); // whoever reads next finds out, too
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
    public void trust() {
        trusted = true;
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

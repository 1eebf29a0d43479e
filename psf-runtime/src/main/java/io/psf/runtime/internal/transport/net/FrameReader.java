package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.Checksum;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.DamagedFrameException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Assembles frames from received bytes: copies many small frames from one inbox, and reads large frames directly into
 * their own memory. Not thread-safe.
 */
final class FrameReader {
    private static final int INBOX = 64 << 10;

    /** The receiver has to admit longer frames before their memory is allocated. */
    private static final int LARGE = INBOX / 4;

    /** The inbox of a connection that is not trusted. */
    private static final int SMALL_INBOX = 4 << 10;

    private final FramePool pool;
    private final IntPredicate admits;
    /** The inbox; null until the first bytes are read. The received bytes end at its position. */
    private @Nullable ByteBuffer inbox;

    /** The index in the inbox up to which frames have been taken out. */
    private int taken;
    /** A large frame that is being read into its own memory; null if none is. Its final length is {@code announced}. */
    private @Nullable Frame large;

    private int announced;
    /** Verifies the frames; null if they have no checksums. */
    private @Nullable Checksum checksum;

    /** The bytes in front of each frame. */
    private int prefix;
    /** The checksum of the large frame's body. */
    private int ofBody;

    /**
     * True if the last frame was large. Then only the header of the next frame is read at first, so that its body need
     * not be copied.
     */
    private boolean expectsLarge;

    private volatile boolean trusted;

    FrameReader(FramePool pool) {
        this(pool, length -> true);
    }

    /**
     * Creates a reader.
     *
     * @param admits true if the memory of a large frame may be allocated now; if false, it is called again later
     */
    FrameReader(FramePool pool, IntPredicate admits) {
        this.pool = pool;
        this.admits = admits;
    }

    /** Allows frames of any length from now on. */
    void trust() {
        trusted = true;
    }

    /** Expects a checksum in front of each frame behind the frames that have been taken out. */
    void check() {
        checksum = new Checksum();
        prefix = Checksum.PREFIX;
    }

    /** Returns the buffer for the next bytes, which has free capacity. */
    ByteBuffer target() {
        if (large != null) {
            if (!large.bytes().hasRemaining()) {
                large = large.grown(pool, announced);
            }
            return large.bytes();
        }
        ByteBuffer into = inbox;
        if (into == null) {
            into = pool.take(trusted ? INBOX : SMALL_INBOX).clear();
            inbox = into;
        }
        int header = prefix + Frame.HEADER;
        boolean isHeaderAlone = expectsLarge && into.position() < header;
        return into.limit(isHeaderAlone ? header : into.capacity());
    }

    /** Returns the length above which frames are not read through that inbox. */
    private static int longest(ByteBuffer inbox) {
        return inbox.capacity() / 4;
    }

    /**
     * Takes out the next complete frame.
     *
     * @return null if there is none, or only a part of one
     * @throws io.psf.api.PsException with {@code PROTOCOL} if the received bytes are not a frame
     * @throws DamagedFrameException if a frame does not have its checksum
     */
    @Nullable
    Frame next() throws DamagedFrameException {
        if (large != null) {
            if (large.bytes().position() < announced) {
                return null;
            }
            Frame whole = large;
            large = null;
            expectsLarge = true;
            whole.bytes().flip();
            return verified(whole, ofBody);
        }
        ByteBuffer from = inbox;
        if (from == null) {
            return null;
        }
        int there = from.position() - taken;
        if (there < prefix + Frame.HEADER) {
            if (there >= Frame.BEGINNING && prefix == 0) {
                Frame.requireKind(from, taken, there);
            }
            compact(from, there);
            return null;
        }
        if (checksum != null) {
            checksum.requireHeader(from, taken);
        }
        int begin = taken + prefix;
        int length = Frame.length(from, begin, trusted ? Frame.MAX_LENGTH : ConnectionLimits.STRANGER_FRAME);
        expectsLarge = false;
        if (length <= there - prefix) {
            Frame frame = pool.acquire(length);
            frame.bytes().put(0, from, begin, length);
            int expected = checksum == null ? 0 : Checksum.ofBody(from, taken);
            taken = begin + length;
            return verified(frame, expected);
        }
        if (length > LARGE && !admits.test(length)) {
            return null; // its first bytes stay in the inbox
        }
        if (length > longest(from)) {
            announced = length;
            ofBody = checksum == null ? 0 : Checksum.ofBody(from, taken);
            large = Frame.arriving(pool, length);
            large.bytes().put(0, from, begin, there - prefix).position(there - prefix);
            taken = 0;
            from.clear();
        } else {
            compact(from, there);
        }
        return null;
    }

    private Frame verified(Frame whole, int expected) throws DamagedFrameException {
        if (checksum != null) {
            checksum.requireBody(whole, expected);
        }
        return whole;
    }

    private void compact(ByteBuffer full, int there) {
        if (there == 0) {
            full.clear();
            taken = 0;
            if (trusted && full.capacity() < INBOX) {
                giveBackInbox();
            }
        } else if (taken > 0 && full.capacity() - taken < longest(full) + prefix) {
            full.limit(full.position()).position(taken);
            full.compact();
            taken = 0;
        }
    }

    private void giveBackInbox() {
        if (inbox != null) {
            pool.giveBack(inbox);
            inbox = null;
            taken = 0;
        }
    }

    private int inInbox() {
        return inbox == null ? 0 : inbox.position() - taken;
    }

    /** Returns the received bytes of an unfinished frame: 0 if the frame is complete and waits to be taken out. */
    int partial() {
        if (large != null) {
            int there = large.bytes().position();
            return there < announced ? there : 0;
        }
        int there = inInbox();
        return there < prefix + expected() ? there : 0;
    }

    /** Returns the least length of that frame, in bytes. */
    int expected() {
        if (large != null) {
            return announced;
        }
        return inbox == null || inInbox() < prefix + Frame.HEADER ? Frame.HEADER : inbox.getInt(taken + prefix);
    }

    /** Gives back the memory of an unfinished frame and of the inbox. */
    void release() {
        if (large != null) {
            large.release();
            large = null;
        }
        giveBackInbox();
    }
}

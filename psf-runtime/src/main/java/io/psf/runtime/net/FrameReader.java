package io.psf.runtime.net;

import io.psf.runtime.call.Frame;
import io.psf.runtime.call.FramePool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Puts what arrives together to frames: many small ones at a time, large ones straight into their own memory. Not
 * thread-safe.
 */
final class FrameReader {
    private static final int INBOX = 64 << 10;

    /** Longer frames are not read through the inbox. */
    private static final int LARGE = INBOX / 4;

    /** The longest frame before one is trusted. */
    static final int MOST_FROM_A_STRANGER = 64 << 10;

    private final FramePool pool;
    private final IntPredicate admits;
    /** What has come ends at its position. */
    private final ByteBuffer inbox = ByteBuffer.allocateDirect(INBOX).order(ByteOrder.LITTLE_ENDIAN);

    /** How much of the inbox has been taken out. */
    private int taken;
    /** A frame that is being read into its own memory, and how long it is to be. */
    private @Nullable Frame large;

    private int announced;
    private volatile boolean trusted;

    FrameReader(FramePool pool) {
        this(pool, length -> true);
    }

    /**
     * A reader.
     *
     * @param admits whether the memory of a large frame may be taken now; if not, it is asked again later
     */
    FrameReader(FramePool pool, IntPredicate admits) {
        this.pool = pool;
        this.admits = admits;
    }

    /** From now on frames may be of any length. */
    void trust() {
        trusted = true;
    }

    /** Where the next bytes go. Has room. */
    ByteBuffer target() {
        if (large != null) {
            if (!large.bytes().hasRemaining()) {
                large = large.grown(pool, announced);
            }
            return large.bytes();
        }
        return inbox;
    }

    /**
     * Takes out the next frame that is there.
     *
     * @return null if there is none, or but a part of one
     * @throws io.psf.api.PsException with {@code PROTOCOL} if what comes is no frame
     */
    @Nullable
    Frame next() {
        if (large != null) {
            if (large.bytes().position() < announced) {
                return null;
            }
            Frame whole = large;
            large = null;
            whole.bytes().flip();
            return whole;
        }
        int there = inbox.position() - taken;
        if (there < Frame.HEADER) {
            makeRoom(there);
            return null;
        }
        int length = Frame.length(inbox, taken, trusted ? Frame.MAX_LENGTH : MOST_FROM_A_STRANGER);
        if (length <= there) {
            Frame frame = pool.acquire(length);
            frame.bytes().put(0, inbox, taken, length);
            taken += length;
            return frame;
        }
        if (length > LARGE && !admits.test(length)) {
            return null; // what has come of it stays in the inbox
        }
        if (length > LARGE) {
            announced = length;
            large = Frame.arriving(pool, length);
            large.bytes().put(0, inbox, taken, there).position(there);
            taken = 0;
            inbox.clear();
        } else {
            makeRoom(there);
        }
        return null;
    }

    private void makeRoom(int there) {
        if (there == 0) {
            inbox.clear();
            taken = 0;
        } else if (taken > 0 && inbox.capacity() - taken < LARGE) {
            inbox.limit(inbox.position()).position(taken);
            inbox.compact();
            taken = 0;
        }
    }

    /** How many bytes of an unfinished frame there are. */
    int partial() {
        return large == null ? inbox.position() - taken : large.bytes().position();
    }

    /** How many bytes there will be at least. */
    int expected() {
        if (large != null) {
            return announced;
        }
        return partial() < Frame.HEADER ? Frame.HEADER : inbox.getInt(taken);
    }

    /** Gives back the memory of an unfinished frame. */
    void release() {
        if (large != null) {
            large.release();
            large = null;
        }
    }
}

package io.psf.runtime.transport.net;

import io.psf.runtime.transport.ConnectionLimits;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Puts what arrives together to frames: many small ones at a time, large ones straight into their own memory. Not
 * thread-safe.
 */
final class FrameReader {
    private static final int INBOX = 64 << 10;

    /** Longer frames are asked for before their memory is taken. */
    private static final int LARGE = INBOX / 4;

    /** A stranger's. */
    private static final int SMALL_INBOX = 4 << 10;

    private final FramePool pool;
    private final IntPredicate admits;
    /** The inbox, from when something comes; what has come ends at its position. */
    private @Nullable ByteBuffer inbox;

    /** How much of the inbox has been taken out. */
    private int taken;
    /** A frame that is being read into its own memory, and how long it is to be. */
    private @Nullable Frame large;

    private int announced;
    /** True if the last frame was large: then the next is read from its header on, so that its body is not copied. */
    private boolean expectsLarge;

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
        ByteBuffer into = inbox;
        if (into == null) {
            into = pool.take(trusted ? INBOX : SMALL_INBOX).clear();
            inbox = into;
        }
        boolean isHeaderAlone = expectsLarge && into.position() < Frame.HEADER;
        return into.limit(isHeaderAlone ? Frame.HEADER : into.capacity());
    }

    /** Longer frames are not read through an inbox. */
    private static int longest(ByteBuffer inbox) {
        return inbox.capacity() / 4;
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
            expectsLarge = true;
            whole.bytes().flip();
            return whole;
        }
        ByteBuffer from = inbox;
        if (from == null) {
            return null;
        }
        int there = from.position() - taken;
        if (there < Frame.HEADER) {
            makeRoom(from, there);
            return null;
        }
        int length = Frame.length(from, taken, trusted ? Frame.MAX_LENGTH : ConnectionLimits.STRANGER_FRAME);
        expectsLarge = false;
        if (length <= there) {
            Frame frame = pool.acquire(length);
            frame.bytes().put(0, from, taken, length);
            taken += length;
            return frame;
        }
        if (length > LARGE && !admits.test(length)) {
            return null; // what has come of it stays in the inbox
        }
        if (length > longest(from)) {
            announced = length;
            large = Frame.arriving(pool, length);
            large.bytes().put(0, from, taken, there).position(there);
            taken = 0;
            from.clear();
        } else {
            makeRoom(from, there);
        }
        return null;
    }

    private void makeRoom(ByteBuffer full, int there) {
        if (there == 0) {
            full.clear();
            taken = 0;
            if (trusted && full.capacity() < INBOX) {
                giveBackInbox();
            }
        } else if (taken > 0 && full.capacity() - taken < longest(full)) {
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

    /** How many bytes of an unfinished frame there are: 0 if it is whole, and waits to be taken out. */
    int partial() {
        if (large != null) {
            int there = large.bytes().position();
            return there < announced ? there : 0;
        }
        int there = inInbox();
        return there < expected() ? there : 0;
    }

    /** How many bytes there will be at least. */
    int expected() {
        if (large != null) {
            return announced;
        }
        return inbox == null || inInbox() < Frame.HEADER ? Frame.HEADER : inbox.getInt(taken);
    }

    /** Gives back the memory of an unfinished frame, and the inbox. */
    void release() {
        if (large != null) {
            large.release();
            large = null;
        }
        giveBackInbox();
    }
}

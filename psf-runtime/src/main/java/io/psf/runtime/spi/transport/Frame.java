package io.psf.runtime.spi.transport;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A request or an answer as bytes: a header of 48 bytes and the body that {@link TupleWriter} lays out. Little-endian;
 * all values are aligned to 8 bytes.
 *
 * <pre>
 *   0      4     5      6         8          12            16       20      24
 *  +------+----+-----+---------+----------+-------------+--------+-------+---------+
 *  |length|kind|flags| version | function | fingerprint | tensor | slice | call ...|
 *  +------+----+-----+---------+----------+-------------+--------+-------+---------+
 *   24         32        36        38          40             44       48
 *  +----------+---------+---------+-----------+--------------+--------+------- ----
 *  | ... call | word    | attempt | layout    | block length | arrays | body ...
 *  +----------+---------+---------+-----------+--------------+--------+------- ----
 * </pre>
 *
 * <ul>
 *   <li>length: bytes of the whole frame, including the header; a multiple of 8
 *   <li>kind: {@link Kind}; flags: the priority of a request, signed; else 0
 *   <li>version: the schema version of the side that wrote the frame; fingerprint: the fingerprint of that schema
 *   <li>function: the number of the function's name; tensor: the number of the tensor's name, or 0
 *   <li>slice: the slice of the tensor, or the index of the node in a call to nodes; repeated in the answer
 *   <li>word: of a request the milliseconds until its deadline; of an answer its status, a {@link PsException.Code}.
 *       The block of an answer that is not OK is one string, the detail
 *   <li>attempt: how many times the request may have been sent before; layout: of a request to a shard, a stamp of the
 *       slice and the shape that it is for
 * </ul>
 *
 * <p>A frame has one owner, which passes it on or releases it, once. {@link #retain} adds an owner. The bytes do not
 * change after the frame has been written or has arrived, so several threads may read it at once.
 */
public final class Frame {
    /** The length of the header in bytes. */
    public static final int HEADER = FrameHeader.LENGTH;

    /** The bytes from which on the kind of a frame is known. */
    public static final int BEGINNING = 8;

    /** The length of the largest frame in bytes. */
    public static final int MAX_LENGTH = Integer.MAX_VALUE - 63;

    /** The most requests of a chain. */
    private static final int MOST_IN_CHAIN = 1 << 16;

    /**
     * The most bytes that are allocated for a frame whose header alone has arrived; more are allocated as its bytes
     * arrive.
     */
    private static final int AT_FIRST = 4 << 20;

    /** The kind of a frame. The values are not ASCII, so that a stray line of text is rejected at once. */
    public enum Kind {
        /** A call of a function. */
        REQUEST((byte) 0xB1),
        /** The answer to a call. */
        ANSWER((byte) 0xB2),
        /**
         * The caller is done with calls, answered or not: with those whose numbers are in the body, a copied array of
         * longs, and with all those below the number in the header.
         */
        DONE((byte) 0xB3),
        /** Requests, as whole frames one after another, that are run without other requests in between. */
        CHAIN((byte) 0xB4),
        /**
         * Internal to a transport, first on a connection: a request to continue over shared memory, or the reply to
         * one.
         */
        LINK((byte) 0xB5),
        /** Internal to a transport: keep-alive, not answered. 0xB6 is not used here: it marks a gap in a ring. */
        PING((byte) 0xB7),
        /** Internal to a transport: the frames behind this one have a {@link Checksum}. */
        CHECK((byte) 0xB8);

        final byte code;

        Kind(byte code) {
            this.code = code;
        }

        /** True if a frame that begins with these bytes, at least 8, is of this kind. */
        public boolean isOf(ByteBuffer beginning) {
            return beginning.get(FrameHeader.KIND) == code;
        }
    }

    /** Indexed by the code minus the code of {@link Kind#REQUEST}. No frame has the code of index 5. */
    private static final Kind[] KINDS = {
        Kind.REQUEST, Kind.ANSWER, Kind.DONE, Kind.CHAIN, Kind.LINK, Kind.PING, Kind.PING, Kind.CHECK
    };

    private static final PsException.Code[] CODES = PsException.Code.values();

    private static final AtomicIntegerFieldUpdater<Frame> OWNERS =
            AtomicIntegerFieldUpdater.newUpdater(Frame.class, "owners");

    private final ByteBuffer bytes;
    private final @Nullable Lender lender;
    /** The chain that this frame is a part of; null for none. */
    private final @Nullable Frame whole;

    private volatile int owners = 1;
    /** True if a thread may still read the memory after the last release. */
    private volatile boolean abandoned;

    /** The owner of a frame's memory, which gets it back. */
    public interface Lender {
        /** Returns the memory to the lender. */
        void giveBack(ByteBuffer bytes);
    }

    Frame(ByteBuffer bytes, @Nullable FramePool pool) {
        this(bytes, pool, null);
    }

    /** Returns a frame in memory that its lender needs back before it can deliver more frames. */
    public static Frame lent(ByteBuffer bytes, Lender lender) {
        return new Frame(bytes, lender, null);
    }

    /** Returns a frame in a buffer that no pool manages: releasing the frame does nothing to the buffer. */
    public static Frame of(ByteBuffer bytes) {
        return new Frame(bytes, null);
    }

    private Frame(ByteBuffer bytes, @Nullable Lender lender, @Nullable Frame whole) {
        this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
        this.lender = lender;
        this.whole = whole;
    }

    /**
     * Returns the length that a header announces.
     *
     * @param bytes at least the first {@link #HEADER} bytes of a frame, little-endian
     * @param at the index of the header
     * @param most the longest frame that is accepted
     * @throws PsException with {@code PROTOCOL} if it is not the header of a frame
     */
    public static int length(ByteBuffer bytes, int at, int most) {
        return FrameHeader.length(bytes, at, most);
    }

    /**
     * Checks the first bytes of a frame, before its whole header has arrived. So a program that does not speak psf's
     * protocol is recognized by a few bytes.
     *
     * @param at the index of the frame's first byte
     * @param there the number of the frame's bytes that have arrived, at least {@link #BEGINNING}
     * @throws PsException with {@code PROTOCOL} if it is not the beginning of a frame
     */
    public static void requireKind(ByteBuffer bytes, int at, int there) {
        FrameHeader.requireKind(bytes, at, there);
    }

    /**
     * Returns an empty frame for bytes that arrive. Its memory grows with the bytes that have arrived, not with the
     * announced length. From a bounded pool the whole length is allocated at once: the receiver has {@link
     * Receiver#admits admitted} it.
     */
    public static Frame arriving(FramePool pool, int length) {
        return pool.acquire(pool.isBounded() ? length : Math.min(length, AT_FIRST));
    }

    /** Returns a larger frame with the bytes that have arrived, and releases this one. */
    public Frame grown(FramePool pool, int length) {
        Frame larger = pool.acquire((int) Math.min(length, 2L * bytes.limit()));
        larger.bytes.put(bytes.flip());
        release();
        return larger;
    }

    /**
     * Returns the bytes, from 0 to the length. The owner may move the position, unless the frame {@link #isShared is
     * shared}: a channel then sends a duplicate of the buffer.
     */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Returns the bytes of memory that the frame occupies. */
    public int capacity() {
        return bytes.capacity();
    }

    /** Returns the length of the whole frame in bytes. */
    public int length() {
        return bytes.getInt(0);
    }

    public Kind kind() {
        return KINDS[bytes.get(FrameHeader.KIND) - Kind.REQUEST.code];
    }

    public int version() {
        return bytes.getShort(FrameHeader.VERSION) & 0xffff;
    }

    public int function() {
        return bytes.getInt(FrameHeader.FUNCTION);
    }

    public int fingerprint() {
        return bytes.getInt(FrameHeader.FINGERPRINT);
    }

    public int tensor() {
        return bytes.getInt(FrameHeader.TENSOR);
    }

    public int slice() {
        return bytes.getInt(FrameHeader.SLICE);
    }

    public long call() {
        return bytes.getLong(FrameHeader.CALL);
    }

    /** Of a request: returns the milliseconds until its deadline, as of when it was sent. */
    public int timeout() {
        return bytes.getInt(FrameHeader.WORD);
    }

    /** Of an answer: returns how the call ended. */
    public PsException.Code status() {
        int status = bytes.getInt(FrameHeader.WORD);
        return status >= 0 && status < CODES.length ? CODES[status] : PsException.Code.INTERNAL;
    }

    /** Of a request to a shard: returns the stamp of the slice and the shape that the caller expects. */
    public short layout() {
        return bytes.getShort(FrameHeader.LAYOUT);
    }

    /** True if an answer says that the request was refused: its function has not run. */
    public boolean isRefusal() {
        return kind() == Kind.ANSWER && attempt() != 0;
    }

    /** Of a request: returns how many times it may have been sent before. */
    public int attempt() {
        return bytes.getShort(FrameHeader.ATTEMPT) & 0xffff;
    }

    /** Of a request: returns its priority; requests with a higher one run first. */
    public int priority() {
        return bytes.get(FrameHeader.FLAGS);
    }

    /**
     * Returns a reader of the body.
     *
     * @param target the tensor that the frame is for; null if none
     * @throws PsException with {@code PROTOCOL} if the body does not match the header
     */
    public TupleReader reader(@Nullable TensorId target) {
        return reader(new TupleReader(), target);
    }

    /** Does what {@link #reader(TensorId)} does, with a reader that has been used before. */
    public TupleReader reader(TupleReader used, @Nullable TensorId target) {
        return used.begin(
                bytes,
                HEADER,
                length(),
                bytes.getInt(FrameHeader.BLOCK_LENGTH),
                bytes.getInt(FrameHeader.ARRAYS),
                version(),
                target);
    }

    /**
     * Splits a chain into its requests, which share the ownership of the chain from now on.
     *
     * @throws PsException with {@code PROTOCOL} if the chain contains anything but requests
     */
    public List<Frame> requests() {
        int count = requireChain();
        OWNERS.addAndGet(this, count - 1);
        List<Frame> requests = new ArrayList<>(count);
        for (int at = HEADER; at < length(); at += bytes.getInt(at)) {
            requests.add(new Frame(bytes.slice(at, bytes.getInt(at)), null, this));
        }
        return requests;
    }

    /**
     * Returns the number of requests of a chain. Makes nothing of them.
     *
     * @throws PsException with {@code PROTOCOL} if the chain contains anything but requests
     */
    public int requireChain() {
        int count = 0;
        for (int at = HEADER; at < length(); count++) {
            int left = length() - at;
            if (left < HEADER) {
                throw FrameHeader.malformed("end of a chain: " + left + " bytes (expected: a request)");
            }
            int length = length(bytes, at, left);
            byte kind = bytes.get(at + FrameHeader.KIND);
            if (kind != Kind.REQUEST.code) {
                throw FrameHeader.malformed(
                        "kind of a frame in a chain: 0x" + Integer.toHexString(kind & 0xff) + " (expected: 0xb1)");
            }
            if (count == MOST_IN_CHAIN) {
                throw FrameHeader.malformed(
                        "requests of a chain: more than " + MOST_IN_CHAIN + " (expected: at most that)");
            }
            at += length;
        }
        if (count == 0) {
            throw FrameHeader.malformed("requests of a chain: 0 (expected: at least 1)");
        }
        return count;
    }

    /** Returns the number of requests of a chain that this process has made. Each of them is answered. */
    public int requestCount() {
        int count = 0;
        for (int at = HEADER; at < length(); at += bytes.getInt(at)) {
            count++;
        }
        return count;
    }

    /** True if the memory belongs to a lender that needs it back before the {@link Receiver} returns. */
    public boolean isLent() {
        return lender != null && !(lender instanceof FramePool);
    }

    /** True if it has more than one owner. */
    public boolean isShared() {
        return owners > 1;
    }

    /** Adds an owner. */
    public Frame retain() {
        if (owners <= 0) {
            throw new IllegalStateException("frame: released (expected: owned)");
        }
        OWNERS.incrementAndGet(this);
        return this;
    }

    /**
     * Removes an owner. The last owner gives the memory back; no thread may read the frame, or a view of it,
     * afterwards.
     *
     * @throws IllegalStateException if there have been as many releases as owners already
     */
    public void release() {
        int left = OWNERS.decrementAndGet(this);
        if (left < 0) {
            throw new IllegalStateException("frame: released (expected: owned)");
        }
        if (left == 0) {
            if (abandoned && lender instanceof FramePool pool) {
                pool.abandon(bytes);
            } else if (lender != null) {
                lender.giveBack(bytes);
            } else if (whole != null) {
                whole.release();
            }
        }
    }

    /**
     * Does what {@link #release} does while another thread may still read the frame: the memory is left to the garbage
     * collector and not reused.
     */
    public void abandon() {
        (whole == null ? this : whole).abandoned = true;
        release();
    }

    /** Returns a copy of the header in memory of its own, for use after the frame has been released. */
    public Frame header() {
        ByteBuffer copy = ByteBuffer.allocate(HEADER);
        copy.put(0, bytes, 0, HEADER);
        return new Frame(copy, null);
    }
}

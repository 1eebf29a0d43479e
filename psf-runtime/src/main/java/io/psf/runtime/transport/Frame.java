package io.psf.runtime.transport;

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
 * A request or an answer as bytes: a header of 48 bytes and the body that {@link TupleWriter} draws; little-endian,
 * everything aligned to 8 bytes.
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
 *   <li>length: bytes of the whole frame, header included, a multiple of 8
 *   <li>kind: {@link Kind}; flags: of a request its priority, signed
 *   <li>version: the schema version of the side that wrote the frame; fingerprint: of that version's schema
 *   <li>function: the number of the function's name; tensor: the number of the tensor's name, or 0
 *   <li>slice: of the tensor, or of a call to nodes which of them it is for; echoed in the answer
 *   <li>word: of a request the milliseconds left until its deadline, of an answer its status, a {@link
 *       PsException.Code}; the block of an answer that is not OK is one string, the detail
 *   <li>attempt: how often the request may have been sent before; layout: of a request to a shard, which slice of which
 *       shape it is for
 * </ul>
 *
 * <p>A frame has one owner, who passes it on or releases it, once; who {@link #retain retains} it becomes one more.
 * What the bytes say does not change once it has been written or has arrived, so that several may read it at once.
 */
public final class Frame {
    /** Bytes of the header. */
    public static final int HEADER = FrameHeader.LENGTH;

    /** The largest frame. */
    public static final int MAX_LENGTH = Integer.MAX_VALUE - 63;

    /** The most requests of a chain. */
    private static final int MOST_IN_CHAIN = 1 << 16;

    /** What is taken at once for a frame that has only been announced; more is taken as its bytes come. */
    private static final int AT_FIRST = 4 << 20;

    /** What a frame is. Values that are no ASCII text, so that a stray line of text is refused at once. */
    public enum Kind {
        /** A call of a function. */
        REQUEST((byte) 0xB1),
        /** The answer to a call. */
        ANSWER((byte) 0xB2),
        /**
         * The caller is done with calls, answered or not: their numbers as a copied array of longs, and every number below
         * the header's.
         */
        DONE((byte) 0xB3),
        /** Requests, whole frames one after another, to be run without another's in between. */
        CHAIN((byte) 0xB4),
        /** A transport's own, first on a connection: to go on over shared memory, and what the other end says to that. */
        LINK((byte) 0xB5),
        /** A transport's own: a sign of life, which is not answered. 0xB6 is left out: it begins a gap in a ring. */
        PING((byte) 0xB7);

        final byte code;

        Kind(byte code) {
            this.code = code;
        }
    }

    /** By code, from {@link Kind#REQUEST}'s on; the sixth is no frame's. */
    private static final Kind[] KINDS = {
        Kind.REQUEST, Kind.ANSWER, Kind.DONE, Kind.CHAIN, Kind.LINK, Kind.PING, Kind.PING
    };

    private static final PsException.Code[] CODES = PsException.Code.values();

    private static final AtomicIntegerFieldUpdater<Frame> OWNERS =
            AtomicIntegerFieldUpdater.newUpdater(Frame.class, "owners");

    private final ByteBuffer bytes;
    private final @Nullable Lender lender;
    /** The chain that this frame is a part of. */
    private final @Nullable Frame whole;

    private volatile int owners = 1;
    /** True if somebody may still read the memory after it has been released. */
    private volatile boolean abandoned;

    /** Who takes back a frame's memory. */
    public interface Lender {
        /** The memory is the lender's again. */
        void giveBack(ByteBuffer bytes);
    }

    Frame(ByteBuffer bytes, @Nullable FramePool pool) {
        this(bytes, pool, null);
    }

    /** A frame that lies in memory which its lender wants back before more can come. */
    public static Frame lent(ByteBuffer bytes, Lender lender) {
        return new Frame(bytes, lender, null);
    }

    /** A frame that lies in a buffer: whoever made that takes it back. */
    public static Frame of(ByteBuffer bytes) {
        return new Frame(bytes, null);
    }

    private Frame(ByteBuffer bytes, @Nullable Lender lender, @Nullable Frame whole) {
        this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
        this.lender = lender;
        this.whole = whole;
    }

    /**
     * The length that a header announces.
     *
     * @param bytes that hold the first {@link #HEADER} bytes of a frame, little-endian
     * @param at where they begin
     * @param most the longest frame that is taken
     * @throws PsException with {@code PROTOCOL} if it is not the header of a frame
     */
    public static int length(ByteBuffer bytes, int at, int most) {
        int length = bytes.getInt(at);
        byte kind = bytes.get(at + FrameHeader.KIND);
        if (kind < Kind.REQUEST.code || kind > Kind.LINK.code && kind != Kind.PING.code) {
            throw malformed("kind: 0x" + Integer.toHexString(kind & 0xff) + " (expected: 0xb1 to 0xb5, or 0xb7)");
        }
        byte flags = bytes.get(at + FrameHeader.FLAGS);
        if (flags != 0 && kind != Kind.REQUEST.code) {
            throw malformed("flags: 0x" + Integer.toHexString(flags & 0xff) + " (expected: 0)");
        }
        if (length < HEADER || length % 8 != 0 || length > most) {
            throw malformed("length: " + length + " (expected: a multiple of 8 from " + HEADER + " to " + most + ")");
        }
        return length;
    }

    /**
     * A frame to be filled with what arrives. Its memory grows with that and not with what was announced, unless it is a
     * node's that has been {@link Receiver#admits asked} for all of it.
     */
    public static Frame arriving(FramePool pool, int length) {
        return pool.acquire(pool.isBounded() ? length : Math.min(length, AT_FIRST));
    }

    /** A frame with room for more of what arrives, and with what has arrived; the old one is released. */
    public Frame grown(FramePool pool, int length) {
        Frame larger = pool.acquire((int) Math.min(length, 2L * bytes.limit()));
        larger.bytes.put(bytes.flip());
        release();
        return larger;
    }

    /** The bytes, from 0 to the length; the position is the reader's to move. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Bytes of the memory that it takes. */
    public int capacity() {
        return bytes.capacity();
    }

    /** Bytes of the whole frame. */
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

    /** Of a request: milliseconds until its deadline. */
    public int timeout() {
        return bytes.getInt(FrameHeader.WORD);
    }

    /** Of an answer: how the call ended. */
    public PsException.Code status() {
        int status = bytes.getInt(FrameHeader.WORD);
        return status >= 0 && status < CODES.length ? CODES[status] : PsException.Code.INTERNAL;
    }

    /** Of a request to a shard: which slice, of which shape, the caller takes it for. */
    public short layout() {
        return bytes.getShort(FrameHeader.LAYOUT);
    }

    /** Of a request: how often it may have been sent before. */
    public int attempt() {
        return bytes.getShort(FrameHeader.ATTEMPT) & 0xffff;
    }

    /** Of a request: calls of a higher one are run first. */
    public int priority() {
        return bytes.get(FrameHeader.FLAGS);
    }

    /**
     * Reads the body.
     *
     * @param target the tensor that the frame is for, if any
     * @throws PsException with {@code PROTOCOL} if the body is not what the header says
     */
    public TupleReader reader(@Nullable TensorId target) {
        return reader(new TupleReader(), target);
    }

    /** As {@link #reader(TensorId)}, with a reader that has been used before. */
    public TupleReader reader(TupleReader used, @Nullable TensorId target) {
        return used.begin(bytes, HEADER, length(), bytes.getInt(FrameHeader.BLOCK_LENGTH), bytes.getInt(FrameHeader.ARRAYS), version(), target);
    }

    /**
     * Takes a chain apart; its requests own it together from now on.
     *
     * @throws PsException with {@code PROTOCOL} if it is not made of requests
     */
    public List<Frame> requests() {
        List<ByteBuffer> parts = new ArrayList<>();
        for (int at = HEADER; at < length(); ) {
            if (length() - at < HEADER) {
                throw malformed("end of a chain: " + (length() - at) + " bytes (expected: a request)");
            }
            ByteBuffer rest = bytes.slice(at, length() - at).order(ByteOrder.LITTLE_ENDIAN);
            int length = length(rest, 0, length() - at);
            if (rest.get(FrameHeader.KIND) != Kind.REQUEST.code) {
                throw malformed("kind of a frame in a chain: 0x" + Integer.toHexString(rest.get(FrameHeader.KIND) & 0xff)
                        + " (expected: 0xb1)");
            }
            parts.add(rest.limit(length));
            if (parts.size() > MOST_IN_CHAIN) {
                throw malformed("requests of a chain: more than " + MOST_IN_CHAIN + " (expected: at most that)");
            }
            at += length;
        }
        if (parts.isEmpty()) {
            throw malformed("requests of a chain: 0 (expected: at least 1)");
        }
        OWNERS.addAndGet(this, parts.size() - 1);
        List<Frame> requests = new ArrayList<>(parts.size());
        parts.forEach(part -> requests.add(new Frame(part.slice(), null, this)));
        return requests;
    }

    /** Whether its memory is wanted back before its {@link Receiver} returns. */
    public boolean isLent() {
        return lender != null && !(lender instanceof FramePool);
    }

    /** Whether it has more than one owner. */
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
     * Gives the memory back, once every owner has. Nobody may read the frame, or a view of it, afterwards.
     *
     * @throws IllegalStateException if it has been released as often as it has owners
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

    /** As {@link #release}, where somebody may still read the frame: its memory is the garbage collector's. */
    public void abandon() {
        (whole == null ? this : whole).abandoned = true;
        release();
    }

    /** The header alone, in memory of its own, for what outlives the frame's. */
    public Frame header() {
        ByteBuffer copy = ByteBuffer.allocate(HEADER);
        copy.put(0, bytes, 0, HEADER);
        return new Frame(copy, null);
    }

    private static PsException malformed(String what) {
        return new PsException(PsException.Code.PROTOCOL, "not a psf frame: " + what);
    }
}

package io.psf.runtime.spi.transport;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import java.nio.ByteBuffer;

/**
 * The header of a frame in a buffer, of requests and answers alike; {@link Frame} draws it. A field that is not set is
 * 0. Not thread-safe. Makes no garbage where the JIT inlines it.
 */
final class FrameHeader {
    /** Bytes of the header. */
    static final int LENGTH = 48;

    /** The kind of a gap in a ring, which is no frame. */
    private static final byte GAP = (byte) 0xB6;

    // Where the fields begin.
    static final int KIND = 4;
    static final int FLAGS = 5;
    static final int VERSION = 6;
    static final int FUNCTION = 8;
    static final int FINGERPRINT = 12;
    static final int TENSOR = 16;
    static final int SLICE = 20;
    static final int CALL = 24;
    static final int WORD = 32;
    static final int ATTEMPT = 36;
    static final int LAYOUT = 38;
    static final int BLOCK_LENGTH = 40;
    static final int ARRAYS = 44;

    private final ByteBuffer bytes;
    private final int begin;

    private FrameHeader(ByteBuffer bytes, int begin) {
        this.bytes = bytes;
        this.begin = begin;
    }

    /**
     * Writes a header at the position of a buffer, which moves behind it.
     *
     * @param bytes little-endian
     * @param length of the whole frame
     */
    static FrameHeader write(ByteBuffer bytes, Frame.Kind kind, int length) {
        int begin = bytes.position();
        for (int at = 0; at < LENGTH; at += Long.BYTES) {
            bytes.putLong(0);
        }
        bytes.putInt(begin, length).put(begin + KIND, kind.code);
        return new FrameHeader(bytes, begin);
    }

    /** Returns the length in a header, as {@link Frame#length(ByteBuffer, int, int)} does. */
    static int length(ByteBuffer bytes, int at, int most) {
        requireKind(bytes, at, Math.min(LENGTH, bytes.limit() - at));
        byte flags = bytes.get(at + FLAGS);
        if (flags != 0 && bytes.get(at + KIND) != Frame.Kind.REQUEST.code) {
            throw malformed("flags: 0x" + Integer.toHexString(flags & 0xff) + " (expected: 0)");
        }
        int length = bytes.getInt(at);
        if (length < LENGTH || length % 8 != 0 || length > most) {
            requireNoTls(bytes, at);
            throw malformed("length: " + length + " (expected: a multiple of 8 from " + LENGTH + " to " + most + ")");
        }
        return length;
    }

    /** Checks the beginning of a frame, as {@link Frame#requireKind} does. */
    static void requireKind(ByteBuffer bytes, int at, int there) {
        byte kind = bytes.get(at + KIND);
        if (kind < Frame.Kind.REQUEST.code || kind > Frame.Kind.CHECK.code || kind == GAP) {
            requireNoTls(bytes, at);
            throw malformed("kind: 0x" + Integer.toHexString(kind & 0xff) + ", in the bytes "
                    + PeerText.quoted(bytes, at, there) + " (expected: 0xb1 to 0xb5, 0xb7 or 0xb8)");
        }
    }

    /** Fails for the beginning of a TLS handshake. */
    private static void requireNoTls(ByteBuffer bytes, int at) {
        if (bytes.get(at) == 0x16 && bytes.get(at + 1) == 3) {
            throw malformed("TLS, but this node has none (expected: a connection without TLS, or " + TlsEngines.SETTINGS
                    + " at this node)");
        }
    }

    static PsException malformed(String what) {
        return new PsException(PsException.Code.PROTOCOL, "not a psf frame: " + what);
    }

    /** The function, in the schema version of the side that writes the frame. */
    FrameHeader function(FunctionInfo info) {
        bytes.putShort(begin + VERSION, (short) info.version());
        bytes.putInt(begin + FINGERPRINT, info.fingerprint());
        return function(info.id());
    }

    /** The number of the function's name. */
    FrameHeader function(int id) {
        bytes.putInt(begin + FUNCTION, id);
        return this;
    }

    FrameHeader tensor(int number) {
        bytes.putInt(begin + TENSOR, number);
        return this;
    }

    FrameHeader slice(int slice) {
        bytes.putInt(begin + SLICE, slice);
        return this;
    }

    /** Which slice of which shape the request is for. */
    FrameHeader layout(short stamp) {
        bytes.putShort(begin + LAYOUT, stamp);
        return this;
    }

    FrameHeader call(long call) {
        bytes.putLong(begin + CALL, call);
        return this;
    }

    /** Milliseconds until the deadline of a request, or the status of an answer. */
    FrameHeader word(int word) {
        bytes.putInt(begin + WORD, word);
        return this;
    }

    FrameHeader attempt(int attempt) {
        bytes.putShort(begin + ATTEMPT, (short) attempt);
        return this;
    }

    FrameHeader priority(int priority) {
        bytes.put(begin + FLAGS, (byte) priority);
        return this;
    }

    /** The sizes of the body. */
    FrameHeader body(TupleWriter tuple) {
        bytes.putInt(begin + BLOCK_LENGTH, tuple.blockLength()).putInt(begin + ARRAYS, tuple.arrays());
        return this;
    }
}

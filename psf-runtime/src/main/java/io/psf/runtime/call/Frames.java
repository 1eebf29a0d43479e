package io.psf.runtime.call;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes frames. {@link Frame} describes their bytes. */
public final class Frames {
    private Frames() {}

    /** Writes a draft; returns null if it has become unnecessary and must not be sent. */
    public static @Nullable Frame of(FramePool pool, Draft draft) {
        Frame frame = pool.acquire(draft.length());
        if (!draft.writeTo(frame.bytes())) {
            frame.release();
            return null;
        }
        frame.bytes().flip();
        return frame;
    }

    /**
     * Returns the length of a frame with that body, in bytes.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if it exceeds {@link Frame#MAX_LENGTH}
     */
    public static int length(TupleWriter tuple) {
        return checked(Frame.HEADER + tuple.bodyLength());
    }

    /** Writes a request. */
    public static Frame request(FramePool pool, RequestHeader header, TupleWriter tuple) {
        Frame frame = pool.acquire(length(tuple));
        request(frame.bytes(), header, tuple);
        frame.bytes().flip();
        return frame;
    }

    /** Writes requests into one frame. The peer runs them one after another. */
    public static Frame chain(FramePool pool, List<RequestHeader> headers, List<TupleWriter> tuples) {
        long length = Frame.HEADER;
        for (TupleWriter tuple : tuples) {
            length += Frame.HEADER + tuple.bodyLength();
        }
        Frame frame = acquire(pool, length);
        put(frame.bytes(), (int) length, Frame.Kind.CHAIN, 0, 0, 0, 0, 0, 0, 0, 0, 0, (short) 0, 0, 0);
        for (int i = 0; i < headers.size(); i++) {
            request(frame.bytes(), headers.get(i), tuples.get(i));
        }
        frame.bytes().flip();
        return frame;
    }

    /** Writes the answer to a request at the position of a buffer. */
    public static void answer(ByteBuffer bytes, FunctionInfo info, Frame request, TupleWriter tuple) {
        answer(
                bytes,
                info.version(),
                request.function(),
                info.fingerprint(),
                request.tensor(),
                request.slice(),
                request.call(),
                PsException.Code.OK,
                tuple);
    }

    /** Writes the answer without its {@link TupleWriter#tail}. */
    public static void answerHead(ByteBuffer bytes, FunctionInfo info, Frame request, TupleWriter tuple) {
        answerHeader(
                bytes,
                info.version(),
                request.function(),
                info.fingerprint(),
                request.tensor(),
                request.slice(),
                request.call(),
                PsException.Code.OK,
                tuple);
        tuple.writeHead(bytes);
    }

    private static void answer(
            ByteBuffer bytes,
            int version,
            int function,
            int fingerprint,
            int tensor,
            int slice,
            long call,
            PsException.Code status,
            TupleWriter tuple) {
        answerHeader(bytes, version, function, fingerprint, tensor, slice, call, status, tuple);
        tuple.writeBody(bytes);
    }

    private static void answerHeader(
            ByteBuffer bytes,
            int version,
            int function,
            int fingerprint,
            int tensor,
            int slice,
            long call,
            PsException.Code status,
            TupleWriter tuple) {
        put(
                bytes,
                length(tuple),
                Frame.Kind.ANSWER,
                0,
                version,
                function,
                fingerprint,
                tensor,
                slice,
                call,
                status.ordinal(),
                0,
                (short) 0,
                tuple.blockLength(),
                tuple.arrays());
    }

    /**
     * Writes a frame of kind {@code LINK}.
     *
     * @param status of a reply: the outcome of the request; of a request: {@code OK}
     */
    public static Frame link(FramePool pool, PsException.Code status, TupleWriter tuple) {
        long length = Frame.HEADER + tuple.bodyLength();
        Frame frame = acquire(pool, length);
        put(
                frame.bytes(),
                (int) length,
                Frame.Kind.LINK,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                status.ordinal(),
                0,
                (short) 0,
                tuple.blockLength(),
                0);
        tuple.writeBody(frame.bytes());
        frame.bytes().flip();
        return frame;
    }

    /** Writes a keep-alive frame. */
    public static Frame ping(FramePool pool) {
        Frame frame = pool.acquire(Frame.HEADER);
        put(frame.bytes(), Frame.HEADER, Frame.Kind.PING, 0, 0, 0, 0, 0, 0, 0, 0, 0, (short) 0, 0, 0);
        frame.bytes().flip();
        return frame;
    }

    /**
     * Writes the calls that the caller is done with.
     *
     * @param below the caller is also done with every call of a smaller number
     */
    public static Frame done(FramePool pool, long below, long[] calls) {
        TupleWriter tuple = new TupleWriter();
        tuple.longs(calls);
        long length = Frame.HEADER + tuple.bodyLength();
        Frame frame = acquire(pool, length);
        put(
                frame.bytes(),
                (int) length,
                Frame.Kind.DONE,
                0,
                0,
                0,
                0,
                0,
                0,
                below,
                0,
                0,
                (short) 0,
                tuple.blockLength(),
                0);
        tuple.writeBody(frame.bytes());
        frame.bytes().flip();
        return frame;
    }

    private static Frame acquire(FramePool pool, long length) {
        return pool.acquire(checked(length));
    }

    private static int checked(long length) {
        if (length > Frame.MAX_LENGTH) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "bytes of a frame: " + length + " (expected: at most " + Frame.MAX_LENGTH + "; use more slices)");
        }
        return (int) length;
    }

    /** Writes a request at the position of a buffer. */
    static void request(ByteBuffer bytes, RequestHeader header, TupleWriter tuple) {
        put(
                bytes,
                length(tuple),
                Frame.Kind.REQUEST,
                header.priority(),
                header.info().version(),
                header.info().id(),
                header.info().fingerprint(),
                header.tensor(),
                header.slice(),
                header.call(),
                header.timeoutMillis(),
                header.attempt(),
                header.layout(),
                tuple.blockLength(),
                tuple.arrays());
        tuple.writeBody(bytes);
    }

    private static void put(
            ByteBuffer bytes,
            int length,
            Frame.Kind kind,
            int flags,
            int version,
            int function,
            int fingerprint,
            int tensor,
            int slice,
            long call,
            int word,
            int attempt,
            short layout,
            int blockLength,
            int arrays) {
        bytes.putInt(length)
                .put(kind.code)
                .put((byte) flags)
                .putShort((short) version)
                .putInt(function)
                .putInt(fingerprint)
                .putInt(tensor)
                .putInt(slice)
                .putLong(call)
                .putInt(word)
                .putShort((short) attempt)
                .putShort(layout)
                .putInt(blockLength)
                .putInt(arrays);
    }

    /** Writes an answer with an error. */
    public static Frame failure(FramePool pool, int function, int slice, long call, PsException.Code code, String why) {
        TupleWriter tuple = new TupleWriter();
        String text = why.length() > 4000 ? why.substring(0, 4000) + "..." : why;
        tuple.bytes(text.getBytes(StandardCharsets.UTF_8)); // the encoding of a string; a lone surrogate becomes "?"
        Frame frame = pool.acquire(length(tuple));
        answer(frame.bytes(), 0, function, 0, 0, slice, call, code, tuple);
        frame.bytes().flip();
        return frame;
    }
}

package io.psf.runtime.spi.transport;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.RequestHeader.Step;
import io.psf.runtime.spi.transport.RequestHeader.Target;
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
        return chain(pool, Step.NONE, headers, tuples);
    }

    /** Writes requests into one frame, one of which is a step of a task. The peer runs them one after another. */
    public static Frame chain(FramePool pool, Step step, List<RequestHeader> headers, List<TupleWriter> tuples) {
        long length = Frame.HEADER;
        for (TupleWriter tuple : tuples) {
            length += Frame.HEADER + tuple.bodyLength();
        }
        Frame frame = acquire(pool, length);
        chainHeader(frame.bytes(), step, (int) length);
        for (int i = 0; i < headers.size(); i++) {
            request(frame.bytes(), headers.get(i), tuples.get(i));
        }
        frame.bytes().flip();
        return frame;
    }

    private static void chainHeader(ByteBuffer bytes, Step step, int length) {
        FrameHeader.write(bytes, Frame.Kind.CHAIN, length)
                .call(step.task())
                .word(step.number())
                .slice(step.after())
                .tensor(step.attempt());
    }

    /**
     * Returns the length of a chain of one request with that body, in bytes.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if it exceeds {@link Frame#MAX_LENGTH}
     */
    public static int stepLength(TupleWriter tuple) {
        return checked(2L * Frame.HEADER + tuple.bodyLength());
    }

    /** Writes a chain of one request, which is a step of a task, at the position of a buffer. */
    public static void step(ByteBuffer bytes, Step step, RequestHeader header, TupleWriter tuple) {
        chainHeader(bytes, step, stepLength(tuple));
        request(bytes, header, tuple);
    }

    /** Writes the answer to a request at the position of a buffer. */
    public static void answer(ByteBuffer bytes, FunctionInfo info, Frame request, TupleWriter tuple) {
        answerHeader(bytes, info, request, tuple);
        tuple.writeBody(bytes);
    }

    /** Writes the answer without its {@link TupleWriter#tail}. */
    public static void answerHead(ByteBuffer bytes, FunctionInfo info, Frame request, TupleWriter tuple) {
        answerHeader(bytes, info, request, tuple);
        tuple.writeHead(bytes);
    }

    private static void answerHeader(ByteBuffer bytes, FunctionInfo info, Frame request, TupleWriter tuple) {
        FrameHeader.write(bytes, Frame.Kind.ANSWER, length(tuple))
                .function(info)
                .function(request.function()) // the name that the caller has for it
                .tensor(request.tensor())
                .slice(request.slice())
                .call(request.call())
                .word(PsException.Code.OK.ordinal())
                .body(tuple);
    }

    /**
     * Writes a frame of kind {@code LINK}.
     *
     * @param status of a reply: the outcome of the request; of a request: {@code OK}
     */
    public static Frame link(FramePool pool, PsException.Code status, TupleWriter tuple) {
        Frame frame = pool.acquire(length(tuple));
        FrameHeader.write(frame.bytes(), Frame.Kind.LINK, length(tuple))
                .word(status.ordinal())
                .body(tuple);
        return finished(frame, tuple);
    }

    private static Frame finished(Frame frame, TupleWriter tuple) {
        tuple.writeBody(frame.bytes());
        frame.bytes().flip();
        return frame;
    }

    /** Writes a keep-alive frame. */
    public static Frame ping(FramePool pool) {
        Frame frame = pool.acquire(Frame.HEADER);
        FrameHeader.write(frame.bytes(), Frame.Kind.PING, Frame.HEADER);
        frame.bytes().flip();
        return frame;
    }

    /** Writes a frame after which the frames of this side have a {@link Checksum}. */
    public static Frame check(FramePool pool) {
        Frame frame = pool.acquire(Frame.HEADER);
        FrameHeader.write(frame.bytes(), Frame.Kind.CHECK, Frame.HEADER);
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
        Frame frame = pool.acquire(length(tuple));
        FrameHeader.write(frame.bytes(), Frame.Kind.DONE, length(tuple))
                .call(below)
                .body(tuple);
        return finished(frame, tuple);
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
    public static void request(ByteBuffer bytes, RequestHeader header, TupleWriter tuple) {
        Target target = header.target();
        FrameHeader.write(bytes, Frame.Kind.REQUEST, length(tuple))
                .priority(header.priority())
                .function(header.info())
                .tensor(target.tensor())
                .slice(target.slice())
                .layout(target.layout())
                .call(header.call())
                .word(header.timeoutMillis())
                .attempt(header.attempt())
                .body(tuple);
        tuple.writeBody(bytes);
    }

    /** Writes an answer with an error to no request in particular. */
    public static Frame failure(FramePool pool, int function, int slice, long call, PsException.Code code, String why) {
        Target target = new Target(0, slice, (short) 0);
        return failure(pool, function, target, call, new PsException(code, why), false);
    }

    /**
     * Writes an answer with an error, to a request that may have run.
     *
     * @param call the call's number
     */
    public static Frame failure(FramePool pool, Frame request, long call, PsException why) {
        Target target = new Target(request.tensor(), request.slice(), (short) 0);
        return failure(pool, request.function(), target, call, why, false);
    }

    /**
     * Writes an answer with an error to a request that was refused: its function has not run, whenever the request was
     * sent.
     */
    public static Frame refusal(FramePool pool, Frame request, PsException why) {
        Target target = new Target(request.tensor(), request.slice(), request.layout());
        return failure(pool, request.function(), target, request.call(), why, true);
    }

    private static Frame failure(
            FramePool pool, int function, Target target, long call, PsException failure, boolean refused) {
        String why = failure.detail();
        TupleWriter tuple = new TupleWriter();
        String text = why.length() > 4000 ? why.substring(0, 4000) + "..." : why;
        tuple.bytes(text.getBytes(StandardCharsets.UTF_8)); // as a string is written; a lone surrogate becomes "?"
        Frame frame = pool.acquire(length(tuple));
        FrameHeader.write(frame.bytes(), Frame.Kind.ANSWER, length(tuple))
                .function(function)
                .tensor(target.tensor())
                .slice(target.slice())
                .call(call)
                .layout(target.layout())
                .word(failure.code().ordinal())
                .attempt(refused ? 1 : 0)
                .body(tuple);
        return finished(frame, tuple);
    }
}

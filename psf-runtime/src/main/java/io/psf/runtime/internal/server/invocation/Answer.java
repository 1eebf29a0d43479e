package io.psf.runtime.internal.server.invocation;

import io.psf.api.PsException;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Draft;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The answer to a request, not written yet. */
record Answer(FunctionInfo info, Frame request, TupleWriter tuple) implements Draft {
    /** Encodes a response with the writer of its lane, which is used until the answer is sent. */
    static <R> Answer of(Binding<?, R> binding, R response, CallTarget on, Frame request) {
        TupleWriter writer = on.lane().writer();
        writer.ofTensor(on.tensor());
        try {
            binding.function().writeAnswer(response, writer);
        } catch (NullPointerException e) {
            throw Nulls.named(response, PsException.Code.HANDLER_FAILED, e);
        } catch (IllegalArgumentException e) {
            throw LoneSurrogates.named(response, PsException.Code.HANDLER_FAILED, e);
        }
        return new Answer(binding.function().info(), request, writer);
    }

    /** Returns the answer in a frame of its own. */
    Frame toFrame(FramePool pool) {
        return Objects.requireNonNull(Frames.of(pool, this));
    }

    @Override
    public int length() {
        return Frames.length(tuple);
    }

    @Override
    public @Nullable ByteBuffer tail() {
        return tuple.tail();
    }

    @Override
    public void writeHeadTo(ByteBuffer out) {
        Frames.answerHead(out, info, request, tuple);
    }

    @Override
    public boolean writeTo(ByteBuffer out) {
        Frames.answer(out, info, request, tuple);
        return true;
    }
}

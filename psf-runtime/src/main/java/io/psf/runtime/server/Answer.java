package io.psf.runtime.server;

import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Draft;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.Frames;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The answer to a request, not written yet. */
record Answer(FunctionInfo info, Frame request, TupleWriter tuple) implements Draft {
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

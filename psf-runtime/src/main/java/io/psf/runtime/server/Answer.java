package io.psf.runtime.server;

import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.call.Draft;
import io.psf.runtime.call.Frame;
import io.psf.runtime.call.Frames;
import java.nio.ByteBuffer;

/** The answer to a request, about to be written. */
record Answer(FunctionInfo info, Frame request, TupleWriter tuple) implements Draft {
    @Override
    public int length() {
        return Frames.length(tuple);
    }

    @Override
    public boolean writeTo(ByteBuffer out) {
        Frames.answer(out, info, request, tuple);
        return true;
    }
}

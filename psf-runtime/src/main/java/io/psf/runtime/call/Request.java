package io.psf.runtime.call;

import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Draft;
import io.psf.runtime.transport.Frames;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One part of a call, as a draft that is reused for other parts. Not thread-safe. */
final class Request implements Draft {
    private final TupleWriter tuple = new TupleWriter();
    private @Nullable Call<?> call;
    private int part;

    /**
     * Prepares a part for writing.
     *
     * @return false if the call has ended
     */
    boolean begin(Call<?> call, int part) {
        this.call = call;
        this.part = part;
        return call.write(part, tuple);
    }

    @Override
    public int length() {
        return Frames.length(tuple);
    }

    /** Writes the request. False if the call has ended: the bytes may then differ from the request that was called. */
    @Override
    public boolean writeTo(ByteBuffer out) {
        Call<?> call = this.call;
        if (call == null) {
            return false;
        }
        Frames.request(out, call.header(part), tuple);
        return !call.isEnded();
    }

    /** Clears the draft for its next use. */
    void end() {
        tuple.reset();
        call = null;
    }
}

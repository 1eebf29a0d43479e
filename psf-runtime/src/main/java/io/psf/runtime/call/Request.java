package io.psf.runtime.call;

import io.psf.runtime.transport.Draft;
import io.psf.runtime.transport.Frames;
import io.psf.api.spi.TupleWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One part of a call, about to be written. Used again for other parts. Not thread-safe. */
final class Request implements Draft {
    private final TupleWriter tuple = new TupleWriter();
    private @Nullable Call<?> call;
    private int part;

    /**
     * Takes in what is to be written.
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

    /** False if the call has ended: what was written then may not be what was called. */
    @Override
    public boolean writeTo(ByteBuffer out) {
        Call<?> call = this.call;
        if (call == null) {
            return false;
        }
        Frames.request(out, call.header(part), tuple);
        return !call.isEnded();
    }

    /** Forgets what was written. */
    void end() {
        tuple.reset();
        call = null;
    }
}

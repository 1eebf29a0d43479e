package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Draft;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RequestHeader;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
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
        return write(call, part, tuple);
    }

    @Override
    public int length() {
        return isStep() ? Frames.stepLength(tuple) : Frames.length(tuple);
    }

    /** Writes the request. False if the call has ended: the bytes may then differ from the request that was called. */
    @Override
    public boolean writeTo(ByteBuffer out) {
        Call<?> call = this.call;
        if (call == null) {
            return false;
        }
        RequestHeader header = header(call, part);
        TaskStep step = call.limits().step();
        if (step == null) {
            Frames.request(out, header, tuple);
        } else {
            Frames.step(out, step.header(call.parts(), part), header, tuple);
        }
        return !call.isEnded();
    }

    private boolean isStep() {
        Call<?> call = this.call;
        return call != null && call.limits().step() != null;
    }

    /**
     * Writes a part of a call's request.
     *
     * @return false if the call has ended
     */
    static boolean write(Call<?> call, int part, TupleWriter writer) {
        Object request = call.request();
        if (request == null) {
            return false;
        }
        try {
            writer.ofTensor(call.parts().routing().tensor());
            call.function().write(request, call.parts().routing(), part, writer);
        } catch (NullPointerException e) {
            throw Nulls.named(request, PsException.Code.BAD_REQUEST, e);
        } catch (IllegalArgumentException e) {
            throw LoneSurrogates.named(request, PsException.Code.BAD_REQUEST, e);
        }
        return true;
    }

    /** Returns the header of a part of a call's request. */
    static RequestHeader header(Call<?> call, int part) {
        CallParts<?> parts = call.parts();
        long millis = TimeUnit.NANOSECONDS.toMillis(call.deadline() - System.nanoTime());
        return new RequestHeader(
                parts.peer(part).named(call.info()),
                parts.target(part),
                call.id(),
                (int) Math.max(1, Math.min(millis, Integer.MAX_VALUE)),
                parts.attempt(part),
                call.limits().priority());
    }

    /** Clears the draft for its next use. */
    void end() {
        tuple.reset();
        call = null;
    }
}

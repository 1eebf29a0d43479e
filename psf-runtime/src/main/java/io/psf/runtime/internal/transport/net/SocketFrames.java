package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The frames that arrive over a socket. */
final class SocketFrames implements FrameSource {
    private final ByteWire wire;
    private final FrameReader reader;
    private long received;
    private boolean full;

    SocketFrames(ByteWire wire, FramePool pool, IntPredicate admits) {
        this.wire = wire;
        this.reader = new FrameReader(pool, admits);
        ByteBuffer already = wire.already();
        if (already.hasRemaining()) {
            received = already.remaining();
            reader.target().put(already);
        }
    }

    @Override
    public @Nullable Frame next() throws IOException {
        return reader.next();
    }

    @Override
    public int fetch() throws IOException {
        ByteBuffer target = reader.target();
        int n = wire.read(target);
        full = !target.hasRemaining();
        received += Math.max(0, n);
        return n;
    }

    @Override
    public boolean mayHaveMore() {
        return full;
    }

    @Override
    public boolean holdsBytes() {
        return wire.holdsBytes();
    }

    @Override
    public void trust() {
        reader.trust();
    }

    @Override
    public void check() {
        reader.check();
    }

    @Override
    public int partial() {
        return reader.partial();
    }

    @Override
    public int expected() {
        return reader.expected();
    }

    @Override
    public long received() {
        return received;
    }

    @Override
    public boolean prepareToSleep() {
        return true; // the selector reports a socket in any case
    }

    @Override
    public void release() {
        reader.release();
    }
}

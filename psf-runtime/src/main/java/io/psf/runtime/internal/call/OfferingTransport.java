package io.psf.runtime.internal.call;

import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Transport;
import java.util.function.BooleanSupplier;

/**
 * Delegates to another transport, but its channels never block a sender. A thread that other threads depend on, such as
 * a server's lane, must not block in a send: it could wait for its peer while the peer waits for it. Frames that the
 * peer has not taken are queued; while they exceed a bound, further requests are refused with {@code
 * RESOURCE_EXHAUSTED}.
 */
public final class OfferingTransport implements Transport {
    private final Transport inner;
    private final long bound;

    /**
     * Creates a transport that delegates to another one.
     *
     * @param bound the most unsent bytes of a channel at which it still takes another request
     */
    public OfferingTransport(Transport inner, long bound) {
        this.inner = inner;
        this.bound = bound;
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        return inner.listen(host, port, acceptor);
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        return new OfferingChannel(inner, host, port, acceptor, bound);
    }

    @Override
    public void await(BooleanSupplier over, long deadline) throws InterruptedException {
        inner.await(over, deadline);
    }

    @Override
    public void close() {
        inner.close();
    }
}

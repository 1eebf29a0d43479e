package io.psf.runtime.transport;

/**
 * Connects as another transport does, but never makes a sender wait: a thread that others wait for, such as a server's lane,
 * could wait for its peer while that one waits for it. What the peer does not take is kept, and beyond a bound refused.
 */
public final class OfferingTransport implements Transport {
    private final Transport inner;
    private final long bound;

    /**
     * A transport around another one.
     *
     * @param bound the most unsent bytes of a channel with which another request is taken
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
    public void close() {
        inner.close();
    }
}

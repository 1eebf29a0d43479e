package io.psf.runtime.transport;

/** Makes channels. Implementations pass one contract test. Thread-safe. */
public interface Transport extends AutoCloseable {
    /**
     * Takes connections.
     *
     * @param port 0 for one that the system chooses
     * @param acceptor gives each connection its receiver
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if the address cannot be listened on
     */
    Listener listen(String host, int port, Acceptor acceptor);

    /**
     * Connects.
     *
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if nobody listens there
     */
    Channel connect(String host, int port, Acceptor acceptor);

    /** Closes every channel and listener. */
    @Override
    void close();

    /** Takes connections until closed. */
    interface Listener extends AutoCloseable {
        /** The port that is listened on. */
        int port();

        /** Takes no more connections, and closes those that it took. */
        @Override
        void close();
    }
}

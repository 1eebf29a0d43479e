package io.psf.runtime.transport;

/** Creates channels. Thread-safe. All implementations pass the same contract test. */
public interface Transport extends AutoCloseable {
    /**
     * Listens for connections and accepts them.
     *
     * @param port 0 for one that the system chooses
     * @param acceptor gives each connection its receiver
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if the address cannot be listened on
     */
    Listener listen(String host, int port, Acceptor acceptor);

    /**
     * Connects to a listener. Blocks until connected. Asks the acceptor once, before this method returns, perhaps on
     * another thread. The result, the argument of the acceptor, and the channel in each call of the {@link Receiver} are
     * one object.
     *
     * <p>If this method throws, the acceptor may have been asked, and {@link Receiver#closed} may be called or not.
     *
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if no listener has that address
     */
    Channel connect(String host, int port, Acceptor acceptor);

    /** Closes every channel and listener. */
    @Override
    void close();

    /** Accepts connections until it is closed. */
    interface Listener extends AutoCloseable {
        /** Returns the port that is listened on. */
        int port();

        /** Accepts no more connections, and closes those that it has accepted. */
        @Override
        void close();
    }
}

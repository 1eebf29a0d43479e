package io.psf.runtime.spi.transport;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Creates channels. Thread-safe. All implementations pass the same contract test. */
public interface Transport extends AutoCloseable {
    /**
     * Listens for connections and accepts them.
     *
     * @param port 0 for a port that the system chooses
     * @param acceptor gives each connection its receiver
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if the address cannot be listened on
     */
    Listener listen(String host, int port, Acceptor acceptor);

    /**
     * Connects to a listener. Blocks until connected. Asks the acceptor once, before this method returns, perhaps on
     * another thread. The result, the argument of the acceptor, and the channel in each call of the {@link Receiver}
     * are one object.
     *
     * <p>If this method throws, the acceptor may have been asked, and {@link Receiver#closed} may be called or not.
     *
     * @throws io.psf.api.PsException with {@code UNAVAILABLE} if no listener has that address
     */
    Channel connect(String host, int port, Acceptor acceptor);

    /**
     * Blocks until a condition that depends on frames from peers is true. The thread may poll all channels of the
     * transport and receive frames meanwhile. May return early. A transport whose frames the calling thread can read
     * overrides this method; a transport that wraps another delegates it.
     *
     * @param over the condition; the thread that makes it true unparks this thread
     * @param deadline as {@link System#nanoTime} counts
     */
    default void await(BooleanSupplier over, long deadline) throws InterruptedException {
        while (!over.getAsBoolean()) {
            long left = deadline - System.nanoTime();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            } else if (left <= 0) {
                return;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    /** Closes every channel and listener. */
    @Override
    void close();

    /** Accepts connections until it is closed. */
    interface Listener extends AutoCloseable {
        /** Returns the port that is listened on. */
        int port();

        /** Accepts no more connections, and closes the connections that it has accepted. */
        @Override
        void close();
    }
}

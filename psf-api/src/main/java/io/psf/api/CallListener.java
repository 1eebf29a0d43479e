package io.psf.api;

/**
 * Listens to the calls of a worker, or of a server's handlers, for example for metrics. Listeners are found on the
 * class path by {@link java.util.ServiceLoader}, or are added to a worker or server. Without a listener no event is
 * made.
 *
 * <p>The methods run on the threads that send and receive, several at a time. They must not block and must not make
 * calls. An exception that they throw is logged, once a minute at most, and changes nothing.
 */
public interface CallListener extends NodeListener {
    /**
     * A part of a request was sent: to one slice or node.
     *
     * @param function the name of the function; for a chain, the name of its first call's function
     * @param bytes the length of the message
     */
    default void sent(String function, long bytes) {}

    /**
     * An answer to a part of a request has arrived.
     *
     * @param function the name of the function
     * @param bytes the length of the message
     */
    default void received(String function, long bytes) {}

    /**
     * A call has ended. The repetition of a call whose layout was out of date makes events of its own.
     *
     * @param function the name of the function
     * @param outcome {@code OK}, or the code of the failure
     * @param nanos the time since the stub was called
     */
    default void ended(String function, PsException.Code outcome, long nanos) {}
}

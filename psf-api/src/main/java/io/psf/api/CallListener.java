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
     * A call begins: on the thread that makes it, before anything of it is sent. A call without parts, as of no keys,
     * makes no event.
     *
     * @param call the whole call
     */
    default void called(CallPart call) {}

    /**
     * A part of a request was sent: to one slice or node.
     *
     * @param part the part
     * @param bytes the length of the message
     */
    default void sent(CallPart part, long bytes) {}

    /**
     * An answer to a part of a request has arrived.
     *
     * @param part the part
     * @param bytes the length of the message
     */
    default void received(CallPart part, long bytes) {}

    /**
     * A call has ended. The repetition of a call whose layout was out of date makes events of its own, on a thread of
     * psf.
     *
     * @param call the whole call
     * @param outcome {@code OK}, or the code of the failure
     * @param nanos the time since the stub was called
     */
    default void ended(CallPart call, PsException.Code outcome, long nanos) {}
}

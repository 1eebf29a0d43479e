package io.psf.api;

/**
 * Listens to the requests that a server handles, for example for metrics. A request is what one call sends to one slice
 * or node. Listeners are found on the server's class path by {@link java.util.ServiceLoader}, or are added to a server.
 * Without a listener no event is made.
 *
 * <p>The methods run on the threads that read, and on the lanes, several at a time. They must not block and must not
 * make calls. An exception that they throw is logged, once a minute at most, and changes nothing.
 */
public interface RequestListener extends NodeListener {
    /**
     * A request has arrived. A request that is refused at once, or answered from memory since it was sent again, makes
     * no event.
     *
     * @param request the request
     * @param bytes the length of the message
     * @param depth the number of pieces of work that wait or run on the lane of the shard or node, without this request
     */
    default void queued(CallPart request, long bytes, int depth) {}

    /**
     * A handler has returned: the answer, or a stage of the answer. A request that does not run, since its deadline has
     * passed or its caller gave it up, makes no such event.
     *
     * @param request the request
     * @param waitedNanos the time from the arrival to the beginning of the handler
     * @param ranNanos the time that the handler took
     */
    default void handled(CallPart request, long waitedNanos, long ranNanos) {}

    /**
     * A request was answered.
     *
     * @param request the request
     * @param outcome {@code OK}, or the code of the failure
     * @param bytes the length of the message
     * @param nanos the time since the arrival of the request
     */
    default void answered(CallPart request, PsException.Code outcome, long bytes, long nanos) {}
}

package io.psf.runtime.spi.transport;

import java.time.Duration;

/**
 * Limits on the time and memory that peers can cost a transport over sockets. A stranger is an accepted connection that
 * has not been {@link Channel#trust trusted}.
 *
 * @param partialFrame the longest pause of a peer in the middle of a frame
 * @param hello how long a connection may be a stranger while none of its requests is being answered
 * @param strangers the most strangers of a listener; one more replaces the oldest
 * @param strangerBytes the most bytes of unread answers of a stranger
 */
public record ConnectionLimits(Duration partialFrame, Duration hello, int strangers, int strangerBytes) {
    /** The most unanswered requests of a stranger. */
    public static final int STRANGER_REQUESTS = 16;

    /** The longest frame that a stranger may send, in bytes. */
    public static final int STRANGER_FRAME = 16 << 10;

    /** Returns the defaults: 30 s within a frame, 10 s until the hello, 1000 strangers with 64 KB of answers each. */
    public static ConnectionLimits usual() {
        return new ConnectionLimits(Duration.ofSeconds(30), Duration.ofSeconds(10), 1000, 64 << 10);
    }

    /** Returns the same limits with another time for pauses within a frame. */
    public ConnectionLimits withPartialFrame(Duration limit) {
        return new ConnectionLimits(limit, hello, strangers, strangerBytes);
    }

    /** Returns the same limits with another time until the hello. */
    public ConnectionLimits withHello(Duration limit) {
        return new ConnectionLimits(partialFrame, limit, strangers, strangerBytes);
    }

    /** Returns the same limits with another number of strangers. */
    public ConnectionLimits withStrangers(int most) {
        return new ConnectionLimits(partialFrame, hello, most, strangerBytes);
    }
}

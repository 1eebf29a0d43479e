package io.psf.runtime.transport;

import java.time.Duration;

/**
 * What a peer may make a transport over sockets wait for, and keep. A stranger is a connection that was taken and has not
 * been {@link Channel#trust trusted}.
 *
 * @param partialFrame how long a peer may pause in the middle of a frame
 * @param hello how long a connection may be a stranger while none of its requests is being answered
 * @param strangers the most strangers of a listener; one more takes the place of the oldest
 * @param strangerBytes the most bytes of answers that a stranger may leave untaken
 */
public record ConnectionLimits(Duration partialFrame, Duration hello, int strangers, int strangerBytes) {
    /** The most requests of a stranger that have no answer. */
    public static final int STRANGER_REQUESTS = 16;

    /** The longest frame of a stranger. */
    public static final int STRANGER_FRAME = 64 << 10;

    /** Defaults: 30 s within a frame, 10 s until the hello, 1000 strangers with 64 KB of answers each. */
    public static ConnectionLimits usual() {
        return new ConnectionLimits(Duration.ofSeconds(30), Duration.ofSeconds(10), 1000, 64 << 10);
    }

    /** The same with another time for pauses within a frame. */
    public ConnectionLimits withPartialFrame(Duration limit) {
        return new ConnectionLimits(limit, hello, strangers, strangerBytes);
    }

    /** The same with another time until the hello. */
    public ConnectionLimits withHello(Duration limit) {
        return new ConnectionLimits(partialFrame, limit, strangers, strangerBytes);
    }

    /** The same with another number of strangers. */
    public ConnectionLimits withStrangers(int most) {
        return new ConnectionLimits(partialFrame, hello, most, strangerBytes);
    }
}

package io.psf.runtime;

import io.psf.runtime.call.FramePool;
import io.psf.runtime.call.Transport;
import io.psf.runtime.net.NetTransport;
import io.psf.runtime.netty.NettyTransport;
import java.time.Duration;

/** Bounds that are the same on every node. */
final class Defaults {
    /** The most bytes of unused frames that a node keeps. */
    static final long KEPT_FRAMES = 256L << 20;

    /** The most bytes of waiting requests, and of unsent answers, that one connection may hold on a node. */
    static final long CONNECTION_BOUND = 64L << 20;

    /** How often deadlines are looked at. */
    static final Duration TICK = Duration.ofMillis(50);

    /** How long a worker tries to connect to a server again that the scheduler does not take for lost. */
    static final Duration RECONNECT = Duration.ofSeconds(30);

    private Defaults() {}

    static FramePool pool() {
        return new FramePool(KEPT_FRAMES);
    }

    static Transport tcp(FramePool pool) {
        if ("netty".equals(System.getenv("PSF_TRANSPORT"))) {
            return new NettyTransport(pool);
        }
        return new NetTransport(
                pool, Duration.ofNanos(1000L * Integer.getInteger("psf.spin", 0)), Duration.ofSeconds(30));
    }
}

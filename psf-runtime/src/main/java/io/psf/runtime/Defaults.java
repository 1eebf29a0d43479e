package io.psf.runtime;

import io.psf.runtime.call.ConnectionLimits;
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

    /** What a peer may make a node wait for, and keep. */
    static final ConnectionLimits LIMITS = ConnectionLimits.usual();

    /** A worker that closes waits for calls under way as long as one of them ends this often. */
    static final Duration SETTLE = Duration.ofSeconds(1);

    /** How long a thread looks for what it waits for before it sleeps: about as long as waking it would take. */
    static final Duration SPIN = Duration.ofNanos(50_000);

    private Defaults() {}

    static FramePool pool() {
        return new FramePool(KEPT_FRAMES);
    }

    static Transport transport(TransportConfig config, FramePool pool) {
        NetTransport.Sharing sharing = switch (config.kind()) {
            case AUTO -> NetTransport.Sharing.WHERE_POSSIBLE;
            case SHM -> NetTransport.Sharing.ALWAYS;
            default -> NetTransport.Sharing.NEVER;
        };
        return config.kind() == TransportConfig.Kind.NETTY
                ? new NettyTransport(pool, LIMITS)
                : new NetTransport(pool, sharing, config.spin(), LIMITS);
    }

    /** The scheduler's: what comes there can wait for a thread to wake. */
    static Transport schedulerTransport(FramePool pool) {
        return new NetTransport(pool, NetTransport.Sharing.WHERE_POSSIBLE, Duration.ZERO, LIMITS);
    }
}

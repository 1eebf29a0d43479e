package io.psf.runtime;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.psf.runtime.transport.ConnectionLimits;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Transport;
import io.psf.runtime.transport.net.NetTransport;
import io.psf.runtime.transport.netty.NettyTransport;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/** Bounds that are the same on every node. */
final class Defaults {
    /** The most bytes of unused frames that a node keeps. */
    static final long KEPT_FRAMES = 256L << 20;

    /** The most bytes of waiting requests, and of unsent answers, that one connection may hold on a node. */
    static final long CONNECTION_BOUND = 64L << 20;

    /** The least that a server may be told to hold of requests and answers. */
    static final long LEAST_MEMORY = 1 << 20;

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

    /** A node that asks nobody before it takes memory. */
    static FramePool pool() {
        return new FramePool(Math.min(KEPT_FRAMES, maxDirect() / 4));
    }

    /** A server, which holds at most so much. */
    static FramePool pool(long memory) {
        return new FramePool(Math.min(KEPT_FRAMES, memory / 2), memory);
    }

    /** What a server may hold of requests and answers, unless it is told: the rest is for all else that is off the heap. */
    static long memory() {
        return Math.max(
                LEAST_MEMORY, Math.min(maxDirect() / 8 * 5, Runtime.getRuntime().maxMemory()));
    }

    /** The most direct memory that this JVM takes. */
    private static long maxDirect() {
        long heap = Runtime.getRuntime().maxMemory(); // unless the JVM was told
        HotSpotDiagnosticMXBean hotSpot = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        if (hotSpot == null) {
            return heap;
        }
        long told = Long.parseLong(hotSpot.getVMOption("MaxDirectMemorySize").getValue());
        return told == 0 ? heap : told;
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

package io.psf.runtime;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.psf.api.PsException;
import io.psf.api.spi.ServiceClassPath;
import io.psf.runtime.internal.transport.net.NetTransport;
import io.psf.runtime.internal.transport.tls.TlsFiles;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.Transport;
import io.psf.runtime.spi.transport.TransportProvider;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Limits that are the same on every node. */
final class Defaults {
    /** The maximum number of bytes of unused frames that a node retains. */
    static final long KEPT_FRAMES = 256L << 20;

    /**
     * The maximum number of bytes of waiting requests, and of unsent answers, that one connection may hold on a node.
     */
    static final long CONNECTION_BOUND = 64L << 20;

    /** The minimum of a server's configurable memory for requests and answers, in bytes. */
    static final long LEAST_MEMORY = 1 << 20;

    /** The interval at which deadlines are checked. */
    static final Duration TICK = Duration.ofMillis(50);

    /** The interval at which the progress of lanes is looked at. */
    static final Duration WATCH = Duration.ofMillis(250);

    /** The interval at which a node reports what its calls take, while somebody asks. */
    static final Duration REPORTS = Duration.ofSeconds(1);

    /** The limits on the time that a peer may block a node, and on the memory that it may occupy. */
    static final ConnectionLimits LIMITS = ConnectionLimits.usual();

    /** A closing worker waits for outstanding calls as long as one of them ends within each such interval. */
    static final Duration SETTLE = Duration.ofSeconds(1);

    /** How long a waiting thread spins before it sleeps: about as long as a wakeup takes. */
    static final Duration SPIN = Duration.ofNanos(50_000);

    /** Runs requests that block, each on a daemon thread of its own. */
    static final Executor REQUESTS = Defaults::onThread;

    private Defaults() {}

    private static void onThread(Runnable work) {
        Thread thread = new Thread(work, "psf-request");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns a pool without a memory limit. */
    static FramePool pool() {
        return new FramePool(Math.min(KEPT_FRAMES, maxDirect() / 4));
    }

    /** Returns a server's pool, which holds at most {@code memory} bytes. */
    static FramePool pool(long memory) {
        return new FramePool(Math.min(KEPT_FRAMES, memory / 2), memory);
    }

    /**
     * Returns the default memory limit of a server's requests and answers, in bytes. The rest of the direct memory is
     * left to other off-heap data.
     */
    static long memory() {
        return Math.max(
                LEAST_MEMORY, Math.min(maxDirect() / 8 * 5, Runtime.getRuntime().maxMemory()));
    }

    /** Returns the maximum direct memory of this JVM, in bytes. */
    private static long maxDirect() {
        long heap = Runtime.getRuntime().maxMemory(); // the JVM's default
        HotSpotDiagnosticMXBean hotSpot = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        if (hotSpot == null) {
            return heap;
        }
        long told = Long.parseLong(hotSpot.getVMOption("MaxDirectMemorySize").getValue());
        return told == 0 ? heap : told;
    }

    /** Returns a transport without TLS. */
    static Transport transport(TransportConfig config, FramePool pool) {
        return transport(config, pool, Security.NONE);
    }

    static Transport transport(TransportConfig config, FramePool pool, Security security) {
        TlsEngines tls = engines(security);
        return switch (config.kind()) {
            case AUTO -> net(config, pool, NetTransport.Sharing.WHERE_POSSIBLE, tls);
            case SHM -> net(config, pool, NetTransport.Sharing.ALWAYS, tls);
            case TCP -> net(config, pool, NetTransport.Sharing.NEVER, tls);
            case NETTY -> netty(config, pool, tls);
        };
    }

    private static Transport net(
            TransportConfig config, FramePool pool, NetTransport.Sharing sharing, @Nullable TlsEngines tls) {
        return new NetTransport(pool, sharing, config.spin(), LIMITS, config.checksum(), tls);
    }

    private static Transport netty(TransportConfig config, FramePool pool, @Nullable TlsEngines tls) {
        TransportProvider netty = provided("netty", "io.psf:psf-netty");
        return tls == null
                ? netty.create(pool, LIMITS, config.checksum())
                : netty.create(pool, LIMITS, config.checksum(), tls);
    }

    private static @Nullable TlsEngines engines(Security security) {
        Tls tls = security.tls();
        if (tls == null) {
            return null;
        }
        TlsFiles files = new TlsFiles(tls.certificate(), tls.key(), tls.authority());
        files.requireValid();
        return files;
    }

    /**
     * Returns the provider of a transport that another artifact brings.
     *
     * @throws PsException with {@code CONFIGURATION} if the class path has no transport of the kind, or it cannot be
     *     created
     */
    private static TransportProvider provided(String kind, String artifact) {
        try {
            for (TransportProvider found :
                    ServiceLoader.load(TransportProvider.class, ServiceClassPath.of(Defaults.class))) {
                if (found.kind().equals(kind)) {
                    return found;
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "transport \"" + kind + "\": " + e.getMessage() + " (expected: a provider that can be created)",
                    e);
        }
        throw new PsException(
                PsException.Code.CONFIGURATION,
                "transport \"" + kind + "\": not on the class path (expected: the artifact " + artifact + ")");
    }

    /**
     * Returns the scheduler's transport. It does not spin: messages to the scheduler tolerate the latency of a wakeup.
     */
    static Transport schedulerTransport(FramePool pool, Security security) {
        return new NetTransport(
                pool, NetTransport.Sharing.WHERE_POSSIBLE, Duration.ZERO, LIMITS, false, engines(security));
    }
}

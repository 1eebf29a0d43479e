package io.psf.runtime;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server.
 *
 * @param schedulerHost the host that the scheduler listens on
 * @param schedulerPort the port that the scheduler listens on
 * @param host the address to listen on, which the workers connect to
 * @param port the port to listen on; 0 for one that the system chooses
 * @param rank the requested rank; -1 for any
 * @param lanes the number of threads that run handlers, at least 1
 * @param mapped the directory of the files that shards are mapped to; null for native memory
 * @param checkpoints the directory below which tensors are saved, shared by all servers; null for none
 * @param joinTimeout how long the cluster may take to form
 * @param transport the transport of the workers' connections
 * @param memory the maximum number of bytes of requests and answers that the server holds, at least 1 MB; beyond half
 *     of it backpressure blocks workers. Tensors do not count
 */
public record ServerConfig(
        String schedulerHost,
        int schedulerPort,
        String host,
        int port,
        int rank,
        int lanes,
        @Nullable Path mapped,
        @Nullable Path checkpoints,
        Duration joinTimeout,
        TransportConfig transport,
        long memory) {
    public ServerConfig {
        Checks.port(schedulerPort);
        Checks.port(port);
        Checks.reachable(host);
        Checks.atLeast("rank", rank, -1);
        Checks.atLeast("lanes", lanes, 1);
        Checks.positive("joinTimeout", joinTimeout);
        Checks.atLeast("memory", memory, Defaults.LEAST_MEMORY);
    }

    /**
     * Returns the defaults: loopback, a port that the system chooses, any rank, one lane per processor, native memory,
     * no checkpoints, and for requests and answers five eighths of the JVM's direct memory, or its heap if that is
     * less.
     */
    public static ServerConfig of(String schedulerHost, int schedulerPort) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                "127.0.0.1",
                0,
                -1,
                Runtime.getRuntime().availableProcessors(),
                null,
                null,
                Duration.ofMinutes(2),
                TransportConfig.usual(),
                Defaults.memory());
    }

    /** Returns a copy with another address to listen on. */
    public ServerConfig listen(String host, int port) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                host,
                port,
                rank,
                lanes,
                mapped,
                checkpoints,
                joinTimeout,
                transport,
                memory);
    }

    /** Returns a copy that requests a rank; -1 for any. */
    public ServerConfig withRank(int rank) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                host,
                port,
                rank,
                lanes,
                mapped,
                checkpoints,
                joinTimeout,
                transport,
                memory);
    }

    /** Returns a copy with another number of lanes. */
    public ServerConfig withLanes(int lanes) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                host,
                port,
                rank,
                lanes,
                mapped,
                checkpoints,
                joinTimeout,
                transport,
                memory);
    }

    /** Returns a copy with its shards in memory-mapped files below a directory. */
    public ServerConfig withMapped(Path directory) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                host,
                port,
                rank,
                lanes,
                directory,
                checkpoints,
                joinTimeout,
                transport,
                memory);
    }

    /** Returns a copy with a directory below which tensors are saved, shared by all servers. */
    public ServerConfig withCheckpoints(Path directory) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                host,
                port,
                rank,
                lanes,
                mapped,
                directory,
                joinTimeout,
                transport,
                memory);
    }

    /** Returns a copy with another time for the cluster to form. */
    public ServerConfig withJoinTimeout(Duration joinTimeout) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                host,
                port,
                rank,
                lanes,
                mapped,
                checkpoints,
                joinTimeout,
                transport,
                memory);
    }

    /** Returns a copy with another transport. */
    public ServerConfig withTransport(TransportConfig transport) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                host,
                port,
                rank,
                lanes,
                mapped,
                checkpoints,
                joinTimeout,
                transport,
                memory);
    }

    /** Returns a copy with another limit on the bytes of requests and answers that the server holds. */
    public ServerConfig withMemory(long memory) {
        return new ServerConfig(
                schedulerHost,
                schedulerPort,
                host,
                port,
                rank,
                lanes,
                mapped,
                checkpoints,
                joinTimeout,
                transport,
                memory);
    }
}

package io.psf.runtime;

import java.time.Duration;

/**
 * The configuration of a scheduler.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for one that the system chooses
 * @param servers the number of servers of the cluster, at least 1
 * @param workers the number of workers of the cluster, at least 1
 * @param timeouts when nodes are missing
 * @param security how the nodes trust each other
 */
public record SchedulerConfig(String host, int port, int servers, int workers, Timeouts timeouts, Security security) {
    public SchedulerConfig {
        Checks.port(port);
        Checks.atLeast("servers", servers, 1);
        Checks.atLeast("workers", workers, 1);
    }

    /**
     * When nodes are missing.
     *
     * @param join how long the cluster may take to form
     * @param heartbeat how long a node may stay silent before it counts as lost
     */
    public record Timeouts(Duration join, Duration heartbeat) {
        public Timeouts {
            Checks.positive("joinTimeout", join);
            Checks.positive("heartbeatLimit", heartbeat);
        }
    }

    /**
     * Returns the defaults: loopback, a port that the system chooses, 2 minutes to form, 10 seconds of silence, no
     * secret.
     */
    public static SchedulerConfig of(int servers, int workers) {
        Timeouts timeouts = new Timeouts(Duration.ofMinutes(2), Duration.ofSeconds(10));
        return new SchedulerConfig("127.0.0.1", 0, servers, workers, timeouts, Security.NONE);
    }

    private SchedulerConfig with(Timeouts timeouts) {
        return new SchedulerConfig(host, port, servers, workers, timeouts, security);
    }

    /** Returns a copy with another address to listen on. */
    public SchedulerConfig listen(String host, int port) {
        return new SchedulerConfig(host, port, servers, workers, timeouts, security);
    }

    /** Returns a copy with another time for the cluster to form. */
    public SchedulerConfig withJoinTimeout(Duration joinTimeout) {
        return with(new Timeouts(joinTimeout, timeouts.heartbeat()));
    }

    /** Returns a copy with another limit of silence. */
    public SchedulerConfig withHeartbeatLimit(Duration heartbeatLimit) {
        return with(new Timeouts(timeouts.join(), heartbeatLimit));
    }

    /** Returns a copy with a secret that every node has to have. */
    public SchedulerConfig withSecret(String secret) {
        return new SchedulerConfig(host, port, servers, workers, timeouts, new Security(secret));
    }
}

package io.psf.runtime;

import java.time.Duration;

/**
 * The configuration of a scheduler.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 for one that the system chooses
 * @param servers the number of servers of the cluster, at least 1
 * @param workers the number of workers of the cluster, at least 1
 * @param joinTimeout how long the cluster may take to form
 * @param heartbeatLimit how long a node may stay silent before it counts as lost
 */
public record SchedulerConfig(
        String host, int port, int servers, int workers, Duration joinTimeout, Duration heartbeatLimit) {
    public SchedulerConfig {
        Checks.port(port);
        Checks.atLeast("servers", servers, 1);
        Checks.atLeast("workers", workers, 1);
        Checks.positive("joinTimeout", joinTimeout);
        Checks.positive("heartbeatLimit", heartbeatLimit);
    }

    /** Returns the defaults: loopback, a port that the system chooses, 2 minutes to form, 10 seconds of silence. */
    public static SchedulerConfig of(int servers, int workers) {
        return new SchedulerConfig("127.0.0.1", 0, servers, workers, Duration.ofMinutes(2), Duration.ofSeconds(10));
    }

    /** Returns a copy with another address to listen on. */
    public SchedulerConfig listen(String host, int port) {
        return new SchedulerConfig(host, port, servers, workers, joinTimeout, heartbeatLimit);
    }

    /** Returns a copy with another time for the cluster to form. */
    public SchedulerConfig withJoinTimeout(Duration joinTimeout) {
        return new SchedulerConfig(host, port, servers, workers, joinTimeout, heartbeatLimit);
    }

    /** Returns a copy with another limit of silence. */
    public SchedulerConfig withHeartbeatLimit(Duration heartbeatLimit) {
        return new SchedulerConfig(host, port, servers, workers, joinTimeout, heartbeatLimit);
    }
}

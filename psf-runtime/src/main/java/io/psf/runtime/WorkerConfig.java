package io.psf.runtime;

import java.time.Duration;

/**
 * The configuration of a worker.
 *
 * @param schedulerHost the host that the scheduler listens on
 * @param schedulerPort the port that the scheduler listens on
 * @param rank the requested rank; -1 for any
 * @param deadline how long a call may take unless its stub has a deadline of its own
 * @param joinTimeout how long the cluster may take to form
 * @param transport the transport of the connections to servers
 */
public record WorkerConfig(
        String schedulerHost,
        int schedulerPort,
        int rank,
        Duration deadline,
        Duration joinTimeout,
        TransportConfig transport) {
    public WorkerConfig {
        Checks.port(schedulerPort);
        Checks.atLeast("rank", rank, -1);
        Checks.positive("deadline", deadline);
        Checks.positive("joinTimeout", joinTimeout);
    }

    /** Returns the defaults: any rank, a deadline of 60 seconds. */
    public static WorkerConfig of(String schedulerHost, int schedulerPort) {
        return new WorkerConfig(
                schedulerHost,
                schedulerPort,
                -1,
                Duration.ofSeconds(60),
                Duration.ofMinutes(2),
                TransportConfig.usual());
    }

    /** Returns a copy that requests a rank; -1 for any. */
    public WorkerConfig withRank(int rank) {
        return new WorkerConfig(schedulerHost, schedulerPort, rank, deadline, joinTimeout, transport);
    }

    /** Returns a copy with another deadline. */
    public WorkerConfig withDeadline(Duration deadline) {
        return new WorkerConfig(schedulerHost, schedulerPort, rank, deadline, joinTimeout, transport);
    }

    /** Returns a copy with another time for the cluster to form. */
    public WorkerConfig withJoinTimeout(Duration joinTimeout) {
        return new WorkerConfig(schedulerHost, schedulerPort, rank, deadline, joinTimeout, transport);
    }

    /** Returns a copy with another transport. */
    public WorkerConfig withTransport(TransportConfig transport) {
        return new WorkerConfig(schedulerHost, schedulerPort, rank, deadline, joinTimeout, transport);
    }
}

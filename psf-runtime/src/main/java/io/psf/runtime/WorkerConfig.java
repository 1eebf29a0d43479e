package io.psf.runtime;

import java.time.Duration;

/**
 * How a worker is started.
 *
 * @param schedulerHost where the scheduler listens
 * @param schedulerPort where the scheduler listens
 * @param rank the rank asked for; -1 for any
 * @param deadline how long a call may take unless the stub says otherwise
 * @param joinTimeout how long the cluster may take to form
 * @param transport what the connections to servers are made of
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

    /** Defaults: any rank, a deadline of 60 seconds. */
    public static WorkerConfig of(String schedulerHost, int schedulerPort) {
        return new WorkerConfig(
                schedulerHost,
                schedulerPort,
                -1,
                Duration.ofSeconds(60),
                Duration.ofMinutes(2),
                TransportConfig.usual());
    }

    /** The same, asking for a rank; -1 for any. */
    public WorkerConfig withRank(int rank) {
        return new WorkerConfig(schedulerHost, schedulerPort, rank, deadline, joinTimeout, transport);
    }

    /** The same with another deadline. */
    public WorkerConfig withDeadline(Duration deadline) {
        return new WorkerConfig(schedulerHost, schedulerPort, rank, deadline, joinTimeout, transport);
    }

    /** The same with another time for the cluster to form. */
    public WorkerConfig withJoinTimeout(Duration joinTimeout) {
        return new WorkerConfig(schedulerHost, schedulerPort, rank, deadline, joinTimeout, transport);
    }

    /** The same with other connections. */
    public WorkerConfig withTransport(TransportConfig transport) {
        return new WorkerConfig(schedulerHost, schedulerPort, rank, deadline, joinTimeout, transport);
    }
}

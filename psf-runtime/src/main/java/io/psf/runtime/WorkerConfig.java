package io.psf.runtime;

import java.time.Duration;

/**
 * The configuration of a worker.
 *
 * @param join how the worker joins the cluster
 * @param deadline how long a call may take unless its stub has a deadline of its own
 * @param transport the transport of the connections to servers
 */
public record WorkerConfig(JoinConfig join, Duration deadline, TransportConfig transport) {
    public WorkerConfig {
        Checks.positive("deadline", deadline);
    }

    /** Returns the defaults: any rank, a deadline of 60 seconds. */
    public static WorkerConfig of(String schedulerHost, int schedulerPort) {
        return new WorkerConfig(
                JoinConfig.of(schedulerHost, schedulerPort), Duration.ofSeconds(60), TransportConfig.usual());
    }

    private WorkerConfig with(JoinConfig join) {
        return new WorkerConfig(join, deadline, transport);
    }

    /** Returns a copy that requests a rank; -1 for any. */
    public WorkerConfig withRank(int rank) {
        return with(join.withRank(rank));
    }

    /** Returns a copy with another deadline. */
    public WorkerConfig withDeadline(Duration deadline) {
        return new WorkerConfig(join, deadline, transport);
    }

    /** Returns a copy with another time for the cluster to form. */
    public WorkerConfig withJoinTimeout(Duration timeout) {
        return with(join.withTimeout(timeout));
    }

    /** Returns a copy with the cluster's secret, which the scheduler has as well. */
    public WorkerConfig withSecret(String secret) {
        return with(join.withSecurity(new Security(secret)));
    }

    /** Returns a copy with another transport. */
    public WorkerConfig withTransport(TransportConfig transport) {
        return new WorkerConfig(join, deadline, transport);
    }
}

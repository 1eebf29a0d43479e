package io.psf.runtime;

import java.time.Duration;

/**
 * The configuration of a worker.
 *
 * @param join how the worker joins the cluster
 * @param deadline how long a call may take unless its stub has a deadline of its own
 * @param reconnectLimit how long the worker tries to replace a broken connection to a server. The time begins anew when
 *     the server answers a call, and when a new connection has taken all calls without an answer. At its end the server
 *     is lost for this worker: the calls that wait for it fail with {@code UNAVAILABLE}, as every later one does. The
 *     first attempt follows at once, the second one after 20 ms; each pause is twice as long as the previous pause, up
 *     to 500 ms, minus a random part of up to a half. Meanwhile calls wait, each until its deadline. More than a minute
 *     is of no use: a server ends a session that has had no connection for so long. If lost servers are expected back,
 *     the time is at least one and a half times the heartbeat's limit, since the scheduler may take the limit to find
 *     out that a server is lost. The connection to the scheduler has the heartbeat's limit instead, or the scheduler's
 *     {@code PSF_SCHEDULER_RETURN} if that is longer
 * @param leaveAtExit true if the worker or client leaves the cluster when its process is told to end (SIGTERM) or calls
 *     {@code System.exit}, by a hook of the JVM that takes at most 3 seconds; false if {@code close} alone leaves it
 * @param transport the transport of the connections to servers
 */
public record WorkerConfig(
        JoinConfig join, Duration deadline, Duration reconnectLimit, boolean leaveAtExit, TransportConfig transport) {
    public WorkerConfig {
        Checks.positive("deadline", deadline);
        Checks.positive("reconnectLimit", reconnectLimit);
    }

    /** Returns the defaults: any rank, a deadline of 60 seconds, 30 seconds to reconnect. */
    public static WorkerConfig of(String schedulerHost, int schedulerPort) {
        return new WorkerConfig(
                JoinConfig.of(schedulerHost, schedulerPort),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                false,
                TransportConfig.usual());
    }

    private WorkerConfig with(JoinConfig join) {
        return new WorkerConfig(join, deadline, reconnectLimit, leaveAtExit, transport);
    }

    /** Returns a copy that requests a rank; -1 for any. */
    public WorkerConfig withRank(int rank) {
        return with(join.withRank(rank));
    }

    /** Returns a copy that joins the cluster of a name alone; empty for any. */
    public WorkerConfig withCluster(String name) {
        return with(join.withSecurity(join.security().withCluster(name)));
    }

    /**
     * Returns a copy of a worker with a name, such as its pod's name, which no other worker has. It takes the place of
     * a worker that has joined with the same name, since that worker is gone.
     */
    public WorkerConfig withNode(String name) {
        return with(join.withNode(name));
    }

    /** Returns a copy with another deadline. */
    public WorkerConfig withDeadline(Duration deadline) {
        return new WorkerConfig(join, deadline, reconnectLimit, leaveAtExit, transport);
    }

    /** Returns a copy that tries for another time to replace a broken connection to a server. */
    public WorkerConfig withReconnectLimit(Duration limit) {
        return new WorkerConfig(join, deadline, limit, leaveAtExit, transport);
    }

    /**
     * Returns a copy of a worker or client that leaves the cluster when its process is told to end, or that does not.
     */
    public WorkerConfig withLeaveAtExit(boolean leave) {
        return new WorkerConfig(join, deadline, reconnectLimit, leave, transport);
    }

    /** Returns a copy with another time for the cluster to form. */
    public WorkerConfig withJoinTimeout(Duration timeout) {
        return with(join.withTimeout(timeout));
    }

    /** Returns a copy with the cluster's secret, which the scheduler has as well. */
    public WorkerConfig withSecret(String secret) {
        return with(join.withSecurity(join.security().withSecret(secret)));
    }

    /** Returns a copy with TLS, which every node of the cluster has as well. */
    public WorkerConfig withTls(Tls tls) {
        return with(join.withSecurity(join.security().withTls(tls)));
    }

    /** Returns a copy that trusts and proves itself as another node does, such as the scheduler of this process. */
    public WorkerConfig withSecurity(Security security) {
        return with(join.withSecurity(security));
    }

    /** Returns a copy with another transport. */
    public WorkerConfig withTransport(TransportConfig transport) {
        return new WorkerConfig(join, deadline, reconnectLimit, leaveAtExit, transport);
    }
}

package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.Join;
import java.time.Duration;

/**
 * How a server or worker joins the cluster.
 *
 * @param schedulerHost the host that the scheduler listens on
 * @param schedulerPort the port that the scheduler listens on
 * @param rank the requested rank; -1 for any
 * @param node the name of a worker, such as its pod's name, 1 to 100 letters, digits, dots, dashes and underscores: a
 *     worker that joins takes the place of the worker that has the same name; empty for none
 * @param timeout how long the cluster may take to form
 * @param security the same as the scheduler's
 */
public record JoinConfig(
        String schedulerHost, int schedulerPort, int rank, String node, Duration timeout, Security security) {
    public JoinConfig {
        Checks.port(schedulerPort);
        Checks.atLeast("rank", rank, -1);
        Checks.name("node", node);
        Checks.positive("joinTimeout", timeout);
    }

    /** Returns the defaults: any rank, 2 minutes, no name, no secret. */
    static JoinConfig of(String schedulerHost, int schedulerPort) {
        return new JoinConfig(schedulerHost, schedulerPort, -1, "", Duration.ofMinutes(2), Security.NONE);
    }

    /** Returns the scheduler as a member of the cluster. */
    Member scheduler() {
        return new Member(Role.SCHEDULER, 0, schedulerHost, schedulerPort);
    }

    /** Returns the names for the request to join. */
    Join.Names said() {
        return new Join.Names(security.cluster(), node);
    }

    JoinConfig withRank(int rank) {
        return new JoinConfig(schedulerHost, schedulerPort, rank, node, timeout, security);
    }

    JoinConfig withNode(String name) {
        return new JoinConfig(schedulerHost, schedulerPort, rank, name, timeout, security);
    }

    JoinConfig withTimeout(Duration timeout) {
        return new JoinConfig(schedulerHost, schedulerPort, rank, node, timeout, security);
    }

    JoinConfig withSecurity(Security security) {
        return new JoinConfig(schedulerHost, schedulerPort, rank, node, timeout, security);
    }
}

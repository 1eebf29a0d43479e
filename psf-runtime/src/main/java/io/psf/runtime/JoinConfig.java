package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.Role;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a server or worker joins the cluster.
 *
 * @param schedulerHost the host that the scheduler listens on
 * @param schedulerPort the port that the scheduler listens on
 * @param rank the requested rank; -1 for any
 * @param timeout how long the cluster may take to form
 * @param secret the secret that the scheduler has as well, at least 16 characters; null for none
 */
public record JoinConfig(
        String schedulerHost,
        int schedulerPort,
        int rank,
        Duration timeout,
        @Nullable String secret) {
    public JoinConfig {
        Checks.port(schedulerPort);
        Checks.atLeast("rank", rank, -1);
        Checks.positive("joinTimeout", timeout);
        Checks.secret(secret);
    }

    /** Returns the defaults: any rank, 2 minutes, no secret. */
    static JoinConfig of(String schedulerHost, int schedulerPort) {
        return new JoinConfig(schedulerHost, schedulerPort, -1, Duration.ofMinutes(2), null);
    }

    /** Returns the scheduler as a member of the cluster. */
    Member scheduler() {
        return new Member(Role.SCHEDULER, 0, schedulerHost, schedulerPort);
    }

    JoinConfig withRank(int rank) {
        return new JoinConfig(schedulerHost, schedulerPort, rank, timeout, secret);
    }

    JoinConfig withTimeout(Duration timeout) {
        return new JoinConfig(schedulerHost, schedulerPort, rank, timeout, secret);
    }

    JoinConfig withSecret(String secret) {
        return new JoinConfig(schedulerHost, schedulerPort, rank, timeout, secret);
    }

    @Override
    public String toString() { // without the secret
        return "scheduler " + schedulerHost + ":" + schedulerPort + ", rank " + rank + ", timeout " + timeout
                + (secret == null ? ", no secret" : ", a secret");
    }
}

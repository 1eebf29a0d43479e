package io.psf.runtime.cluster;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that a scheduler forms.
 *
 * @param servers the number of servers
 * @param workers the number of workers
 * @param joinTimeout how long the cluster may take to form
 * @param heartbeatLimit how long a node may stay silent
 * @param secret the secret that every node has to have; null for none
 */
public record ClusterPlan(
        int servers,
        int workers,
        Duration joinTimeout,
        Duration heartbeatLimit,
        @Nullable String secret) {
    @Override
    public String toString() { // without the secret
        return servers + " servers and " + workers + " workers";
    }
}

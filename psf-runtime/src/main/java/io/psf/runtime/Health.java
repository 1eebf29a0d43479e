package io.psf.runtime;

import io.psf.api.NodeHealth;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.server.lane.LaneWatch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes the health of nodes that have joined. */
final class Health {
    private Health() {}

    /**
     * Returns the health of a node.
     *
     * @param node its name, such as {@code server 1}
     * @param stalled why the node makes no progress; null if it does
     * @param ending true if the node is about to end
     * @param part what it does, such as {@code serves its slices}
     */
    static NodeHealth of(String node, @Nullable String stalled, boolean ending, String part) {
        return new NodeHealth(
                stalled == null,
                node + ": " + (stalled == null ? "makes progress" : stalled),
                !ending,
                node + ": " + (ending ? "is about to end" : part));
    }

    /**
     * Returns why a server makes no progress; null if it does.
     *
     * @param limit how long a lane with waiting work may begin none
     */
    static @Nullable String stalled(LaneWatch lanes, ClusterLink link, Duration limit) {
        Duration silence = link.silence();
        return silence.compareTo(link.limits().scheduler()) > 0
                ? "the scheduler has answered no heartbeat for " + silence.toMillis() + " ms (expected: within "
                        + link.limits().scheduler().toMillis() + " ms)"
                : lanes.stalled(limit);
    }
}

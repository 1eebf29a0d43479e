package io.psf.runtime;

import io.psf.api.NodeHealth;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.JoinStage;
import io.psf.runtime.internal.server.lane.LaneWatch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes the health of nodes. */
final class Health {
    private Health() {}

    /**
     * Returns the health of a node.
     *
     * @param node its name, such as {@code server 1}
     * @param stalled why the node makes no progress; null if it does
     * @param unready why the node cannot be counted on, such as {@code is about to end}; null if it can
     * @param part what it does, such as {@code serves its slices}
     */
    static NodeHealth of(String node, @Nullable String stalled, @Nullable String unready, String part) {
        return new NodeHealth(
                stalled == null,
                node + ": " + (stalled == null ? "makes progress" : stalled),
                unready == null,
                node + ": " + (unready == null ? part : unready));
    }

    /** Returns the health of a server that joins. */
    static NodeHealth ofJoin(JoinStage stage) {
        String readiness = switch (stage) {
            case CONNECTS -> "has not joined the cluster yet";
            case FORMS -> "waits for the other nodes of its cluster";
            case WAITS -> "waits until it can take the place of a lost server";
        };
        return new NodeHealth(true, "server: joins the cluster", stage == JoinStage.FORMS, "server: " + readiness);
    }

    /**
     * Returns why a server makes no progress; null if it does.
     *
     * @param limit how long a lane with waiting work may begin none
     */
    static @Nullable String stalled(LaneWatch lanes, ClusterLink link, Duration limit) {
        return link.silence().compareTo(link.limits().scheduler()) > 0
                ? silent(link, link.limits().scheduler())
                : lanes.stalled(limit);
    }

    /** Returns for how long the scheduler has been silent, which is more than a limit. */
    static String silent(ClusterLink link, Duration limit) {
        return "the scheduler has answered no heartbeat for " + link.silence().toMillis() + " ms (expected: within "
                + limit.toMillis() + " ms)";
    }
}

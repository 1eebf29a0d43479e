package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time after the start of a scheduler in the place of another one: until a node of that one's cluster connects
 * again, new nodes wait. Used on the scheduler's lane.
 */
final class Handover {
    private static final Logger LOG = LoggerFactory.getLogger(Handover.class);

    private final ClusterPlan plan;
    private boolean isUnderWay;
    private long began;

    /**
     * Creates a handover that has not begun.
     *
     * @param plan says how long the nodes may take to connect again
     */
    Handover(ClusterPlan plan) {
        this.plan = plan;
    }

    void begin(ClusterState state) {
        isUnderWay = true;
        began = plan.now();
        LOG.info(
                "goes on from the journal, {}; its nodes have {} ms to connect again",
                state,
                plan.schedulerReturn().toMillis());
    }

    boolean isUnderWay() {
        return isUnderWay;
    }

    void end() {
        isUnderWay = false;
    }

    /** Records that a node of the cluster is there. Clients do not make one. */
    void heard(Role role) {
        isUnderWay &= role == Role.CLIENT;
    }

    /**
     * True, once, if none of the nodes has connected again in time.
     *
     * @param stopped the time in which this scheduler has read nothing, which does not count if it is positive
     * @param hasEnded true if the cluster of the journal has ended
     */
    boolean hasFailed(long stopped, long now, boolean hasEnded) {
        began += Math.max(0, stopped);
        boolean hasFailed = isUnderWay && now - began > plan.schedulerReturn().toNanos();
        if (hasFailed) {
            isUnderWay = false;
            LOG.warn(
                    "no node of the journal has connected again within {} ms: {}",
                    plan.schedulerReturn().toMillis(),
                    hasEnded ? "the earlier scheduler has told them of the end" : "a new cluster forms");
        }
        return hasFailed;
    }

    /**
     * Checks that a new node may join.
     *
     * @throws PsException with {@code UNAVAILABLE} if it has to try again later
     */
    void requireOver() {
        if (isUnderWay) {
            throw new PsException(
                    Code.UNAVAILABLE,
                    "cluster: its scheduler was started again and waits for its earlier nodes (expected: a join once"
                            + " one of them is there, or "
                            + plan.schedulerReturn().toMillis() + " ms have passed)");
        }
    }
}

package io.psf.runtime.internal.server.node;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.KeptAnswers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The knowledge of a node about itself and the other members. Thread-safe. */
final class NodeFacts {
    private final Role role;
    private final @Nullable CheckpointStore checkpoints;
    private volatile int rank;
    private volatile List<Member> members = List.of();
    private volatile KeptAnswersOf keptAnswers = (tensor, slice) -> KeptAnswers.NONE;

    /**
     * Creates the facts of a node that has not joined.
     *
     * @param checkpoints the directory for checkpoints; null for none
     */
    NodeFacts(Role role, @Nullable CheckpointStore checkpoints) {
        this.role = role;
        this.checkpoints = checkpoints;
    }

    Role role() {
        return role;
    }

    int rank() {
        return rank;
    }

    void setRank(int rank) {
        this.rank = rank;
    }

    List<Member> members() {
        return members;
    }

    void setMembers(List<Member> now) {
        members = List.copyOf(now);
    }

    /** Returns the answers that the node keeps of calls on a slice. */
    KeptAnswers keptAnswers(int tensor, int slice) {
        return keptAnswers.find(tensor, slice);
    }

    void setKeptAnswers(KeptAnswersOf finder) {
        keptAnswers = finder;
    }

    /**
     * Returns the directory for checkpoints.
     *
     * @throws PsException with {@code CONFIGURATION} if there is none
     */
    CheckpointStore checkpoints() {
        if (checkpoints == null) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "PSF_CHECKPOINTS of " + this
                            + ": not set (expected: a directory for checkpoints, the same for all servers; of an embedded"
                            + " cluster PsCluster.builder().checkpoints(..))");
        }
        return checkpoints;
    }

    @Override
    public String toString() {
        return role.label() + " " + rank;
    }
}

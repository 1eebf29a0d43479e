package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A heartbeat. Answered when the membership has changed, and periodically. */
@PsFunction(value = "psf.cluster.beat", at = Place.SCHEDULER)
public interface Beat {
    /** The node's last known epoch: the number of changes. */
    record Request(long epoch) {}

    /**
     * The current membership.
     *
     * @param epoch the number of changes
     * @param ended true if the job is over
     * @param members every node except the scheduler
     * @param lost one entry per lost node
     */
    record Response(long epoch, boolean ended, List<Member> members, List<Loss> lost) {}

    /** The reason why a node counts as lost. */
    record Loss(Member member, String reason) {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}

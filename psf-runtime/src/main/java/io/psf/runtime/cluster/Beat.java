package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A sign of life; answered when something has changed, and from time to time. */
@PsFunction(value = "psf.cluster.beat", at = Place.SCHEDULER)
public interface Beat {
    /** What the node knows already: the number of changes. */
    record Request(long epoch) {}

    /**
     * What is so now.
     *
     * @param epoch the number of changes
     * @param ended whether the job is over
     * @param members every node but the scheduler
     * @param lost a line for each node that was lost
     */
    record Response(long epoch, boolean ended, List<Member> members, List<Loss> lost) {}

    /** Why a node counts as lost. */
    record Loss(Member member, String reason) {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}

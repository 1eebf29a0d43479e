package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A heartbeat. Answered when the state of the cluster has changed, and periodically. */
@PsFunction(value = "psf.cluster.beat", at = Place.SCHEDULER)
public interface Beat {
    /** The epoch of the state that the node knows. */
    record Request(long epoch) {}

    /**
     * The current state.
     *
     * @param changes what the node does not know, in order
     * @param ended true if the job is over
     */
    record Response(List<ClusterChange> changes, boolean ended) {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}

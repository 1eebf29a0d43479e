package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.List;

/** Returns what has changed in the state of the cluster. Answered at once. */
@PsFunction(value = "psf.cluster.changes", at = Place.SCHEDULER, readOnly = true)
public interface GetChanges {
    /**
     * The node's state.
     *
     * @param epoch the epoch of the state that the node knows
     */
    record Request(long epoch) {}

    /**
     * The newer state.
     *
     * @param changes differences in order, or the whole state; empty if the node's state is the latest
     */
    record Response(List<ClusterChange> changes) {}

    Response handle(Request request, Node scheduler);
}

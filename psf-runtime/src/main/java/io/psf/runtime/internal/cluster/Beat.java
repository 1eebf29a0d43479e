package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Since;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A heartbeat. Answered when the state of the cluster has changed, and periodically. */
@PsFunction(value = "psf.cluster.beat", at = Place.SCHEDULER)
public interface Beat {
    /**
     * What the node knows.
     *
     * @param epoch the epoch of the state
     * @param rules the version of the {@link Rules}; 0 for none
     */
    record Request(long epoch, long rules) {}

    /**
     * The current state.
     *
     * @param changes what the node does not know, in order
     * @param ended true if the job is over
     * @param rules what nodes may call, for a server that does not know it; else null
     * @param reports true if a guest asks for {@linkplain ReportCalls reports}
     */
    record Response(
            List<ClusterChange> changes,
            boolean ended,
            @Nullable Rules rules,
            @Since(2) boolean reports) {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}

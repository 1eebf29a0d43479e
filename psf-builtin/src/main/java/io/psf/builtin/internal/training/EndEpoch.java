package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Workers;
import java.util.concurrent.CompletionStage;

/**
 * Ends the epoch of the calling worker, and waits until all workers have ended it. One server leads the ends of epochs:
 * it tells all servers that no round, all-reduce or clock waits for the worker, and, when all workers have ended the
 * epoch, that all of them take part again. The worker calls it when its earlier calls have been answered.
 */
@PsFunction(value = "psf.epoch.end", at = Place.SERVER)
public interface EndEpoch {
    /**
     * The end.
     *
     * @param server any number; it selects the server, and is the same for all calls
     */
    record Request(@ByKey long server) {}

    /**
     * The end for all workers.
     *
     * @param epoch the number of the epoch that has ended, from 1
     */
    record Response(long epoch) {}

    /** Answers when all workers have called, and all servers know it. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request request, StoredNode server) {
        return Epochs.of(server).end(Workers.rank(server.call(), "end of an epoch"), server.caller());
    }
}

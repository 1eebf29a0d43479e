package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Workers;
import java.util.concurrent.CompletionStage;

/**
 * Begins an epoch: rounds, all-reduces and clocks wait again for all workers. Called by the server that leads the ends
 * of epochs, on all servers, once for each worker that waits; all calls for one epoch are answered when it has begun on
 * the server.
 */
@PsFunction(value = "psf.epoch.begin", at = Place.SERVER)
public interface BeginEpoch {
    /**
     * The epoch.
     *
     * @param ended the number of the epoch that has ended
     * @param workers the ranks of the workers that have ended it
     */
    record Request(long ended, int[] workers) {}

    /** The acknowledgement. */
    record Response() {}

    /** Begins the epoch on this server and its shards, unless it has begun. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        Workers.requireServer(node.call(), "begin of an epoch");
        return EpochOfServer.of(node)
                .begin(node, request.ended(), Restarts.workers(node, request.workers()))
                .thenApply(done -> new Response());
    }
}

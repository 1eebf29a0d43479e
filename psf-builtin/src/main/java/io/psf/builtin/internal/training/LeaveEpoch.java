package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Workers;
import java.util.concurrent.CompletionStage;

/** Says that a worker has ended its epoch. Called by the server that leads the ends of epochs, on all servers. */
@PsFunction(value = "psf.epoch.leave", at = Place.SERVER)
public interface LeaveEpoch {
    /**
     * The worker.
     *
     * @param worker its rank
     */
    record Request(int worker) {}

    /**
     * The acknowledgement.
     *
     * @param epoch the number of the last epoch that has ended on this server; 0 for none
     */
    record Response(@Reduce(Reduction.MAX) long epoch) {}

    /** Waits for no call of the worker on this server and its shards, until {@link BeginEpoch} has its rank. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        Workers.requireServer(node.call(), "end of an epoch for a worker");
        return Restarts.pause(node, request.worker())
                .thenApply(done -> new Response(EpochOfServer.of(node).ended()));
    }
}

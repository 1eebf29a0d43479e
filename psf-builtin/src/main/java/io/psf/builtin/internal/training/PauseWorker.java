package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Workers;
import java.util.concurrent.CompletionStage;

/**
 * Says that a worker has joined the cluster and does not train yet: no round, all-reduce or clock waits for it until
 * {@link RestartSteps} has its rank. Called by the server that leads the training loop.
 */
@PsFunction(value = "psf.training.pause", at = Place.SERVER)
public interface PauseWorker {
    /**
     * The worker.
     *
     * @param worker its rank
     */
    record Request(int worker) {}

    /** The acknowledgement. */
    record Response() {}

    /** Waits for no call of the worker on this server and its shards. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        Workers.requireServer(node.call(), "pause of a worker");
        Epochs.of(node).pause(request.worker());
        return Restarts.pause(node, request.worker()).thenApply(done -> new Response());
    }
}

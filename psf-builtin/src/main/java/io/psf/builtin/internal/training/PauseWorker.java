package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Workers;
import java.util.concurrent.CompletionStage;

/**
 * Says that the calling worker has joined the cluster and does not train yet: no round, all-reduce or clock waits for
 * it until {@link RestartSteps} has its rank.
 */
@PsFunction(value = "psf.training.pause", at = Place.SERVER)
public interface PauseWorker {
    /** No arguments. */
    record Request() {}

    /** The acknowledgement. */
    record Response() {}

    /** Waits for no call of the worker on this server and its shards. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        int worker = Workers.rank(node.call(), "training loop");
        Epochs.of(node).pause(worker);
        return Restarts.pause(node, worker).thenApply(done -> new Response());
    }
}

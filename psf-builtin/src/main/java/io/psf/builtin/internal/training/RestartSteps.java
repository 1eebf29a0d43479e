package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.spi.Restartable;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.partial.PartialGroups;
import io.psf.builtin.internal.ssp.SspGroups;
import io.psf.builtin.push.Workers;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Makes the next push, all-reduce and clock of each worker its first one: all begin with the same step. Called by the
 * server that leads, while the workers wait for it.
 */
@PsFunction(value = "psf.training.restart", at = Place.SERVER)
public interface RestartSteps {
    /**
     * The way to begin.
     *
     * @param workers the ranks of the workers that begin
     * @param loaded true if the workers have loaded a checkpoint: open rounds are dropped; false if they go on with
     *     workers that have joined
     */
    record Request(int[] workers, boolean loaded) {}

    /** The acknowledgement. */
    record Response() {}

    /** How many of the workers a server may not know yet. */
    int UNKNOWN = 1000;

    /** Begins anew on this server and its shards. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        Workers.requireServer(node.call(), "begin of workers");
        Set<Integer> workers = Restarts.workers(node, request.workers());
        SspGroups.of(node).restart(request.loaded(), workers);
        PartialGroups.of(node).restart(request.loaded(), workers);
        Epochs.of(node).restart(request.loaded(), workers);
        return node.onEveryShard(shard ->
                        Restarts.of(shard).forEach((Restartable each) -> each.restart(request.loaded(), workers)))
                .thenApply(done -> new Response());
    }
}

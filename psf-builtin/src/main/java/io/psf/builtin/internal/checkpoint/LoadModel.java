package io.psf.builtin.internal.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import java.util.concurrent.CompletionStage;

/**
 * Loads a saved model for a client, where there are no workers, or a tensor by itself. The server that is called leads:
 * all servers verify what they are to load, then load it.
 */
@PsFunction(value = "psf.model.load", at = Place.SERVER)
public interface LoadModel {
    /**
     * The load.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name, a path below the server's checkpoint directory
     * @param step the number of the step; {@link LedLoad#NEWEST}
     * @param options what the caller wants of the checkpoints
     * @param scope what the load replaces
     * @param rollback the last rollback that the caller knows
     */
    record Request(@ByKey long server, String model, long step, ModelOptions options, LoadScope scope, long rollback) {}

    /**
     * The checkpoint is loaded.
     *
     * @param manifest the text of its manifest; empty if there was none
     */
    record Response(String manifest) {}

    /** Answers when all servers have loaded. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request request, StoredNode leader) {
        String what = (request.step() == LedLoad.NEWEST ? "load of the newest step" : "load of step " + request.step())
                + " of model \"" + request.model() + "\"";
        Alone alone = new Alone(leader, what, request.options().isRestored());
        return alone.answer(answer -> new LedLoad(
                        leader,
                        request.model(),
                        request.options(),
                        request.scope(),
                        request.rollback(),
                        () -> !answer.isDone(),
                        alone::requireAllowed)
                .start(request.step())
                .thenApply(found -> new Response(found.map(ModelManifest::text).orElse(""))));
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.builtin.push.Workers;
import java.util.concurrent.CompletionStage;

/**
 * Selects the worker that saves or loads a model for all: the first that calls. The others are answered when it has
 * finished. Called by each worker after the barrier.
 */
@PsFunction(value = "psf.model.lead", at = Place.SERVER)
public interface LeadModel {
    /**
     * The attempt.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name
     * @param attempt the attempt's number
     */
    record Request(@ByKey long server, String model, long attempt) {}

    /**
     * The worker's role, or the outcome.
     *
     * @param leads true if the calling worker makes the calls for all; false if another worker has made them
     * @param step the step that was saved or loaded; -1 if none was found; 0 for the leader
     */
    record Response(boolean leads, long step) {}

    /**
     * Answers the first worker at once, the others when that one has finished. Does not hold the lane meanwhile. Fails
     * with {@code BAD_REQUEST} if a present worker has joined for other work, or not at all.
     */
    default CompletionStage<Response> handle(Request request, Node server) {
        return ModelAttempts.of(server)
                .at(request.model(), request.attempt())
                .lead(server.call().worker(), request.model(), Workers.of(server.members()));
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;

/**
 * Reports a step of a model that a load has found to be damaged: no save builds on it, and it is none of the steps to
 * keep.
 */
@PsFunction(value = "psf.model.skip", at = Place.SERVER)
public interface SkipModel {
    /**
     * The damaged step.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name
     * @param step the number of the step
     */
    record Request(@ByKey long server, String model, long step) {}

    /** The acknowledgement. */
    record Response() {}

    /** Remembers the step until it is saved again. */
    default Response handle(Request request, Node server) {
        ModelAttempts.of(server).skip(request.model(), request.step());
        return new Response();
    }
}

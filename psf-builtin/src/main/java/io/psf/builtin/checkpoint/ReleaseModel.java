package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;

/** Ends the work of a client on the checkpoints of a model. The next client that waits has its turn. */
@PsFunction(value = "psf.model.release", at = Place.SERVER)
public interface ReleaseModel {
    /**
     * The hold.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name
     * @param hold the number of the hold; a hold that is over has no effect
     */
    record Request(@ByKey long server, String model, long hold) {}

    /** The acknowledgement. */
    record Response() {}

    /** Ends the hold. */
    default Response handle(Request request, Node server) {
        ModelHolds.of(server).release(request.model(), request.hold(), server);
        return new Response();
    }
}

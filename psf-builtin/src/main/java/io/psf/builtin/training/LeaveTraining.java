package io.psf.builtin.training;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.builtin.push.Workers;

/** Says that the calling worker's training loop has ended: no cut waits for it. */
@PsFunction(value = "psf.training.leave", at = Place.SERVER)
public interface LeaveTraining {
    /**
     * The loop.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     */
    record Request(@ByKey long server, String model) {}

    /** The acknowledgement. */
    record Response() {}

    /** Removes the worker from the loop. */
    default Response handle(Request request, Node server) {
        TrainingLoops.of(server).at(request.model()).leave(Workers.rank(server.call(), "training loop"));
        return new Response();
    }
}

package io.psf.builtin.internal.training;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.builtin.checkpoint.RecordEntry;
import io.psf.builtin.push.Workers;
import java.util.List;

/** Says that the calling worker's training loop has ended: no cut waits for it. */
@PsFunction(value = "psf.training.leave", at = Place.SERVER)
public interface LeaveTraining {
    /**
     * The loop.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     * @param entries the worker's record, if it leaves in order; empty if its loop has failed
     */
    record Request(@ByKey long server, String model, List<RecordEntry> entries) {}

    /** The acknowledgement. */
    record Response() {}

    /** Removes the worker from the loop. The next checkpoint has its record. */
    default Response handle(Request request, Node server) {
        RecordEntry.requireFit(request.entries());
        TrainingLoops.of(server)
                .at(request.model())
                .leave(Workers.rank(server.call(), "training loop"), request.entries());
        return new Response();
    }
}

package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.checkpoint.CheckpointNames;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.push.AtMost;
import io.psf.builtin.push.Workers;
import java.util.List;

/** Makes a worker take part in the next save or load of a model. Called by each worker before the barrier. */
@PsFunction(value = "psf.model.join", at = Place.SERVER)
public interface JoinModel {
    /**
     * The worker's part.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name, a path below the server's checkpoint directory
     * @param work the work, as text, such as {@code save of step 3}; the same for all workers
     * @param entries the worker's record
     */
    record Request(@ByKey long server, String model, String work, List<RecordEntry> entries) {}

    /**
     * The attempt that the worker takes part in.
     *
     * @param attempt the attempt's number, for {@link MeetWorkers}
     */
    record Response(long attempt) {}

    /** Adds the calling worker to the attempt that has not begun. */
    default Response handle(Request request, StoredNode server) {
        RecordEntry.requireFit(request.entries());
        CheckpointNames.require("name of model", request.model());
        AtMost.requireName("work", request.work());
        int worker = Workers.rank(server.call(), "save or load of a model");
        ModelAttempt attempt = ModelAttempts.of(server).open();
        attempt.join(worker, request.model(), request.work(), request.entries());
        return new Response(attempt.number());
    }
}

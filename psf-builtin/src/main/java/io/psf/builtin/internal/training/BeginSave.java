package io.psf.builtin.internal.training;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.builtin.push.Workers;
import java.util.concurrent.CompletionStage;

/** Begins the save of a cut, unless another one is under way. Called by the worker that leads. */
@PsFunction(value = "psf.training.save", at = Place.SERVER)
public interface BeginSave {
    /**
     * The save.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     * @param save the save's unique number
     * @param waits true if the call waits for the end of a save that is under way
     */
    record Request(@ByKey long server, String model, long save, boolean waits) {}

    /**
     * The outcome.
     *
     * @param begins false if another save is under way
     * @param failures the number of the latest saves that have failed one after the other
     * @param reason why the last of them failed; empty if there is none
     */
    record Response(boolean begins, int failures, String reason) {}

    /** Answers at once, or when the save ends that is under way. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request request, Node server) {
        return TrainingLoops.of(server)
                .at(request.model())
                .saves()
                .begin(Workers.rank(server.call(), "training loop"), request.save(), request.waits());
    }
}

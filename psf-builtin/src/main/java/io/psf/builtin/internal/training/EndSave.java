package io.psf.builtin.internal.training;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.builtin.push.AtMost;

/** Reports the end of a save that {@link BeginSave} has begun. */
@PsFunction(value = "psf.training.saved", at = Place.SERVER)
public interface EndSave {
    /**
     * The outcome.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     * @param save the save's unique number
     * @param failed the reason of the failure; empty on success
     */
    record Request(@ByKey long server, String model, long save, String failed) {}

    /**
     * The count of failures.
     *
     * @param failures the number of the latest saves that have failed one after the other
     */
    record Response(int failures) {}

    /** Records the end. The next save may begin. */
    default Response handle(Request request, Node server) {
        return new Response(
                TrainingLoops.of(server).at(request.model()).saves().end(request.save(), AtMost.cut(request.failed())));
    }
}

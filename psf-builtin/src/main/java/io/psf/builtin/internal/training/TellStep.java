package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Workers;

/**
 * Tells where the calling worker is between two of its steps, and returns the step of the next cut. The worker passes
 * the boundary after the next one at which it tells only with the answer to that call, so that it reads of a cut before
 * it has passed the step.
 */
@PsFunction(value = "psf.training.tell", at = Place.SERVER)
public interface TellStep {
    /**
     * The worker's place.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     * @param next the step at whose end the worker tells again; it passes the end of the step after that with the
     *     answer to that call alone
     * @param steps the number of all steps, at whose end there is a cut in any case
     * @param everyMillis the time between two cuts in milliseconds; 0 if time does not matter
     * @param stop true if the worker wants the next cut to be the last one
     */
    record Request(@ByKey long server, String model, long next, long steps, long everyMillis, boolean stop) {}

    /**
     * The next cut.
     *
     * @param cut the step at whose end the workers meet; -1 if none is decided
     */
    record Response(long cut) {}

    /** Decides on a cut if one is due. Fails with {@code ROLLED_BACK} while the workers go back to a checkpoint. */
    default Response handle(Request request, StoredNode server) {
        return new Response(TrainingLoops.of(server)
                .at(request.model())
                .tell(
                        Workers.rank(server.call(), "training loop"),
                        request.next(),
                        request.steps(),
                        request.everyMillis(),
                        request.stop()));
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Since;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;

/**
 * Deletes a step of a model. Called before a save of that step, and after a failed one. Fails with {@code
 * CONFIGURATION} if another job saves the model.
 */
@PsFunction(value = "psf.model.discard", at = Place.SERVER)
public interface DiscardModel {
    /**
     * The step to delete.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name, a path below the server's checkpoint directory
     * @param step the number of the step
     * @param hold the number of the {@link HoldModel hold} of a client that saves alone; 0 of a worker
     */
    record Request(
            @ByKey long server,
            String model,
            long step,
            @Since(2) long hold) {}

    /** The acknowledgement. */
    record Response() {}

    /** Deletes the manifest, then the other files. */
    default Response handle(Request request, StoredNode node) {
        ModelHolds.of(node).requireHeld(request.model(), request.hold(), node);
        ModelLocks.of(node).take(node.checkpoints(), request.model());
        ModelSteps.of(node.checkpoints(), request.model()).discard(request.step());
        ModelAttempts.of(node).skipped(request.model()).remove(request.step());
        return new Response();
    }
}

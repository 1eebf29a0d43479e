package io.psf.builtin.internal.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.spi.StoredNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Finds the newest saved step of models. A server whose checkpoint directory cannot be read has none. */
@PsFunction(value = "psf.model.newest", at = Place.SERVER, readOnly = true)
public interface NewestModels {
    /**
     * The models.
     *
     * @param models the models' names, each a path below the server's checkpoint directory
     */
    record Request(List<String> models) {}

    /**
     * The steps.
     *
     * @param steps the newest step of each model that has one, of each server
     */
    record Response(List<Newest> steps) {}

    /**
     * The newest step of a model.
     *
     * @param model the model's name
     * @param step the number of the step
     * @param millis when its manifest was written, in milliseconds since 1970
     */
    record Newest(String model, long step, long millis) {}

    /** Looks for the manifests; reads none. */
    default Response handle(Request request, StoredNode node) {
        List<Newest> found = new ArrayList<>();
        for (String model : request.models()) {
            try {
                ModelSteps steps = ModelSteps.of(node.checkpoints(), model);
                for (long step : steps.steps()) {
                    found.add(new Newest(model, step, steps.saved(step).millis()));
                    break;
                }
            } catch (PsException | IOException unreadable) { // it has none
            }
        }
        return new Response(found);
    }
}

package io.psf.builtin.internal.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import java.util.ArrayList;
import java.util.List;

/** Lists the saved steps of a model. */
@PsFunction(value = "psf.model.list", at = Place.SERVER, readOnly = true)
public interface ListModels {
    /**
     * The model.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name, a path below the server's checkpoint directory
     */
    record Request(@ByKey long server, String model) {}

    /**
     * The steps.
     *
     * @param manifests the text of the manifests of the complete steps, newest first
     * @param damaged the reason for each other step
     */
    record Response(List<String> manifests, List<String> damaged) {}

    /** Reads the manifests, and compares the lengths of the files. */
    default Response handle(Request request, StoredNode node) {
        ModelSteps steps = ModelSteps.of(node.checkpoints(), request.model());
        List<String> manifests = new ArrayList<>();
        List<String> damaged = new ArrayList<>();
        for (long step : steps.steps()) {
            try {
                manifests.add(steps.read(step).manifest().text());
            } catch (PsException e) {
                if (steps.isFinished(step)) { // else it was deleted just now, the manifest first
                    damaged.add(e.detail());
                }
            }
        }
        return new Response(manifests, damaged);
    }
}

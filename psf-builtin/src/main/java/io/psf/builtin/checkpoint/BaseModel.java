package io.psf.builtin.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;

/** Selects the step of a model that an incremental save may build on. */
@PsFunction(value = "psf.model.base", at = Place.SERVER)
public interface BaseModel {
    /**
     * The model.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name, a path below the server's checkpoint directory
     */
    record Request(@ByKey long server, String model) {}

    /**
     * The step.
     *
     * @param manifest the text of the manifest of the newest complete step; empty if there is none, or if the next save
     *     is to have all rows since a damaged step has been found
     */
    record Response(String manifest) {}

    /** Reads the manifests, and compares the lengths of the files. The shards verify the content before they link it. */
    default Response handle(Request request, StoredNode node) {
        ModelFolder folder = new ModelFolder(node.checkpoints(), request.model());
        SkippedSteps skipped = ModelAttempts.of(node).skipped(request.model());
        return folder.steps().stream()
                .filter(step -> skipped.mayBeBuiltOn(step) && folder.isComplete(step))
                .findFirst()
                .map(step -> new Response(folder.read(step).text()))
                .orElse(new Response(""));
    }
}

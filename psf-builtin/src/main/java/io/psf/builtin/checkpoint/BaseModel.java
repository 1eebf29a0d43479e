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
     * @param step the newest complete step; -1 if there is none, or if the next save is to have all rows since a
     *     damaged step has been found
     * @param checksum the checksum of its manifest
     */
    record Response(long step, int checksum) {}

    /**
     * Reads the manifests, and compares the lengths of the files. The shards verify the content before they build on it.
     */
    default Response handle(Request request, StoredNode node) {
        ModelSteps steps = ModelSteps.of(node.checkpoints(), request.model());
        SkippedSteps skipped = ModelAttempts.of(node).skipped(request.model());
        return steps.steps().stream()
                .filter(skipped::mayBeBuiltOn)
                .flatMap(step -> steps.readIfComplete(step).stream())
                .findFirst()
                .map(ModelImages::manifest)
                .map(manifest -> new Response(manifest.step(), manifest.checksum()))
                .orElse(new Response(-1, 0));
    }
}

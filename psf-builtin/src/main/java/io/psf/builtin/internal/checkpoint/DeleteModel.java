package io.psf.builtin.internal.checkpoint;

import io.psf.api.DeferredAnswer;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.RestorePoint;
import io.psf.api.spi.StoredNode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Deletes all steps of a model, when the works on it have ended. Lost slices are loaded from them no longer. */
@PsFunction(value = "psf.model.delete", at = Place.SERVER)
public interface DeleteModel {
    /**
     * The model.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name, a path below the server's checkpoint directory
     */
    record Request(@ByKey long server, String model) {}

    /** The acknowledgement. */
    record Response() {}

    /** Deletes the steps, each with its manifest first. Fails with {@code CONFIGURATION} if another job saves the model. */
    default CompletionStage<Response> handle(Request request, StoredNode leader) {
        ModelSteps steps = ModelSteps.of(leader.checkpoints(), request.model());
        CompletableFuture<Response> answer = new DeferredAnswer<>(() -> "deletion of model \"" + request.model()
                + "\": a save or load of it is under way (expected: finished before the deadline)");
        ModelWorks works = ModelWorks.of(leader);
        var unused = works.<Void>add(
                        request.model(),
                        () -> !answer.isDone(),
                        () -> leader.restoreFrom(RestorePoint.revoked(
                                        request.model())) // first: a server that comes back loads what is named
                                .thenCompose(revoked -> ModelLocks.of(leader).await(leader, request.model()))
                                .thenRun(() -> {
                                    SeenSteps seen = steps.look();
                                    for (long step : steps.steps()) {
                                        seen.discard(step);
                                        works.skipped(request.model()).remove(step);
                                    }
                                }))
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        answer.complete(new Response());
                    } else {
                        answer.completeExceptionally(failure);
                    }
                });
        return answer;
    }
}

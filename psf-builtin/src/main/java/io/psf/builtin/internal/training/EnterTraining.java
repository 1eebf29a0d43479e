package io.psf.builtin.internal.training;

import io.psf.api.DeferredAnswer;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.RestorePoint;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.checkpoint.ModelManifest;
import io.psf.builtin.internal.checkpoint.ModelWorks;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.push.Stages;
import io.psf.builtin.push.Workers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Counts the calling worker among the workers of a training loop. */
@PsFunction(value = "psf.training.enter", at = Place.SERVER)
public interface EnterTraining {
    /**
     * The worker.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     * @param steps the number of the last step of the worker's run
     * @param late true if the worker has joined a running job
     * @param back true if the worker has come back, and all workers load a checkpoint with it
     * @param isExact true if all slices go back to a checkpoint when a lost node comes back; false if the lost ones
     *     alone do
     * @param rollback the last rollback that the worker knows
     */
    record Request(
            @ByKey long server, String model, long steps, boolean late, boolean back, boolean isExact, long rollback) {}

    /** In place of a step: the worker begins together with the others. */
    long TOGETHER = -1;

    /** In place of a step: the worker joins the others, and pauses before. No answer has it. */
    long LATE = -2;

    /** In place of a step: the worker goes back to a checkpoint together with the others. */
    long BACK = -3;

    /** In place of a step: the others have ended after the last step. */
    long OVER = -4;

    /**
     * Where the worker begins.
     *
     * @param cut the step of the cut at which the others meet the worker; {@link #TOGETHER}; {@link #BACK}; {@link
     *     #OVER}
     * @param entries the record with which a worker of this rank has left the loop since the last checkpoint
     * @param manifest the text of the manifest of the newest checkpoint; empty if there is none
     */
    record Response(long cut, List<RecordEntry> entries, String manifest) {
        static Response at(long cut) {
            return new Response(cut, List.of(), "");
        }
    }

    /**
     * Answers a worker that joins the others once the step of a cut is known that all of them have yet to reach; any
     * other one at once.
     */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        int worker = Workers.rank(node.call(), "training loop");
        TrainingState loop = TrainingLoops.of(node).at(request.model());
        CompletableFuture<Response> answer = new DeferredAnswer<>(() -> "training loop of model \"" + request.model()
                + "\": workers " + Workers.of(node.members())
                + " are not in it (expected: another worker that trains)");
        ModelWorks works = ModelWorks.of(node);
        long ended = works.ended();
        Optional<ModelManifest> before = ModelWorks.newest(node, request.model());
        // A worker that was lost before this run comes back by a rollback.
        CompletionStage<Void> told = before.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : node.restoreFrom(RestorePoint.saved(request.model(), request.isExact(), request.rollback()));
        var unused = told.thenCompose(done -> enter(
                        worker,
                        request,
                        before.filter(each -> each.step() >= request.steps()).isPresent(),
                        loop,
                        answer))
                .thenApply(place -> {
                    Optional<ModelManifest> newest = works.isUnchanged(request.model(), ended)
                            ? before
                            : ModelWorks.newest(node, request.model());
                    String manifest = newest.map(ModelManifest::text).orElse("");
                    return new Response(place.cut(), place.entries(), manifest);
                })
                .whenComplete((response, failure) -> {
                    if (failure == null) {
                        answer.complete(response);
                    } else {
                        answer.completeExceptionally(Stages.cause(failure));
                    }
                });
        return answer;
    }

    private static CompletionStage<Response> enter(
            int worker, Request request, boolean ended, TrainingState loop, CompletableFuture<Response> answer) {
        TrainingState.Entry entry =
                new TrainingState.Entry(request.steps(), request.late(), false, request.back(), ended);
        if (request.back() && loop.goBackWith(worker, entry)) {
            return CompletableFuture.completedFuture(Response.at(BACK));
        }
        return loop.enter(worker, entry).thenCompose(place -> {
            if (place.cut() != LATE) {
                return CompletableFuture.completedFuture(place);
            }
            LoopWork work = loop.work();
            return work.pause(worker, () -> !answer.isDone())
                    .thenCompose(paused ->
                            loop.enter(worker, new TrainingState.Entry(request.steps(), true, true, false, ended)))
                    .thenCompose(joined -> joined.cut() >= 0
                            ? CompletableFuture.completedFuture(joined)
                            : work.restart(new int[] {worker}, false, () -> !answer.isDone()) // the others have left
                                    .thenApply(begun -> joined));
        });
    }
}

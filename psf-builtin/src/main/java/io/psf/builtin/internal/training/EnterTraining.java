package io.psf.builtin.internal.training;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Since;
import io.psf.api.layout.ByKey;
import io.psf.builtin.checkpoint.RecordEntry;
import io.psf.builtin.push.Workers;
import java.util.List;
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
     * @param paused true if nothing waits for the worker ({@link PauseWorker})
     * @param back true if the worker has come back, and all workers load a checkpoint with it
     * @param ended true if there is a checkpoint of the last step of the worker's run
     */
    record Request(
            @ByKey long server,
            String model,
            long steps,
            boolean late,
            boolean paused,
            boolean back,
            @Since(2) boolean ended) {}

    /** In place of a step: the worker begins together with the others. */
    long TOGETHER = -1;

    /** In place of a step: the worker joins the others, and pauses before. */
    long LATE = -2;

    /** In place of a step: the worker goes back to a checkpoint together with the others. */
    long BACK = -3;

    /** In place of a step: the others have ended after the last step. */
    long OVER = -4;

    /**
     * Where the worker begins.
     *
     * @param cut the step of the cut at which the others meet the worker; {@link #TOGETHER}; {@link #LATE};
     *     {@link #BACK}; {@link #OVER}
     * @param entries the record with which a worker of this rank has left the loop since the last checkpoint
     */
    record Response(long cut, List<RecordEntry> entries) {
        static Response at(long cut) {
            return new Response(cut, List.of());
        }
    }

    /**
     * Answers a worker that pauses once the step of a cut is known that all others have yet to reach; any other one at
     * once.
     */
    default CompletionStage<Response> handle(Request request, Node server) {
        TrainingState loop = TrainingLoops.of(server).at(request.model());
        int worker = Workers.rank(server.call(), "training loop");
        return request.back() && loop.goBackWith(worker, request)
                ? CompletableFuture.completedFuture(Response.at(BACK))
                : loop.enter(worker, request);
    }
}

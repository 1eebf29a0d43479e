package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.push.Workers;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Meets other workers, for a save or load of a model that this server does for all of them: those of a training loop,
 * at a cut or to go back to a checkpoint; or all workers, each of which has called {@link JoinModel} before.
 */
@PsFunction(value = "psf.training.meet", at = Place.SERVER)
public interface MeetWorkers {
    /** In place of an attempt: the workers of the training loop of the model meet. */
    long LOOP = -1;

    /** In place of a step: the newest checkpoint is loaded. */
    long NEWEST = -1;

    /**
     * The worker's part.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name
     * @param attempt the number of the attempt that the worker has joined; {@link #LOOP}
     * @param load true for a load
     * @param step the step that is saved or loaded, the same for all workers; {@link #NEWEST}
     * @param stop true if the worker wants this cut to be the last one of its loop
     * @param whole true if the answer waits until the checkpoint of a cut is complete; else it comes when all copies of
     *     shards have begun
     * @param given true if this worker has copied its reduced weights to the servers just now
     * @param options what the worker wants of the checkpoints, the same for all workers
     * @param entries the worker's record; of an attempt, the worker has joined with it
     * @param rollback the last rollback that the worker knows
     */
    record Request(
            @ByKey long server,
            String model,
            long attempt,
            boolean load,
            long step,
            boolean stop,
            boolean whole,
            boolean given,
            ModelOptions options,
            List<RecordEntry> entries,
            long rollback) {}

    /**
     * The outcome.
     *
     * @param gives true if this worker is to copy its reduced weights to the servers, and to call again.
     *     There is no outcome before that
     * @param step the step that was saved or loaded; -1 if none was
     * @param last true if this cut is the last one of the loop
     * @param manifest the text of the manifest of the step that was loaded; empty otherwise
     */
    record Response(boolean gives, long step, boolean last, String manifest) {
        private static Response of(Outcome outcome) {
            return new Response(outcome.gives(), outcome.step(), outcome.last(), outcome.manifest());
        }
    }

    /** Answers when all workers have called, and the work is done. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        RecordEntry.requireFit(request.entries());
        int worker = Workers.rank(node.call(), "save or load of a model");
        Meeting.Part part = new Meeting.Part(
                request.stop(),
                request.whole(),
                request.given(),
                request.options(),
                request.entries(),
                request.rollback());
        String model = request.model();
        if (request.attempt() == LOOP) {
            long step = request.load() ? TrainingState.LOAD : request.step();
            return TrainingLoops.of(node).at(model).meet(worker, step, part, Response::of);
        }
        ModelAttempt.Wanted wanted = new ModelAttempt.Wanted(model, request.load(), request.step());
        return ModelAttempts.of(node).at(model, request.attempt()).meet(worker, wanted, part, Response::of);
    }
}

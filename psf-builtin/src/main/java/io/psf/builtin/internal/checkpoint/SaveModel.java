package io.psf.builtin.internal.checkpoint;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredNode;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Saves a model for a client, where there are no workers, or a tensor by itself. The server that is called leads: all
 * servers write their shards, then it writes the manifest, then it deletes the steps beyond those to keep.
 */
@PsFunction(value = "psf.model.save", at = Place.SERVER)
public interface SaveModel {
    /**
     * The save.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name, a path below the server's checkpoint directory
     * @param step the number of the step, whose earlier save is replaced; {@link LedSave#NEXT}
     * @param options what the caller wants of the checkpoints
     * @param entries the caller's record
     * @param rollback the last rollback that the caller knows
     */
    record Request(
            @ByKey long server,
            String model,
            long step,
            ModelOptions options,
            List<RecordEntry> entries,
            long rollback) {}

    /**
     * The checkpoint is complete.
     *
     * @param step the number of the step
     */
    record Response(long step) {}

    /** Answers when the checkpoint is complete. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request request, StoredNode leader) {
        RecordEntry.requireFit(request.entries());
        String what = (request.step() == LedSave.NEXT ? "save" : "save of step " + request.step()) + " of model \""
                + request.model() + "\"";
        Alone alone = new Alone(leader, what, request.options().isRestored());
        LedSave.Checks checks = new LedSave.Checks(request.rollback(), true, alone::requireAllowed);
        LedSave save =
                new LedSave(leader, request.model(), request.step(), request.options(), request.entries(), checks);
        return alone.answer(answer -> save.start(() -> !answer.isDone()).thenApply(Response::new));
    }
}

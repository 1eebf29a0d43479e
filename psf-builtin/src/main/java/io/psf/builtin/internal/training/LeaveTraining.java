package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.RestorePoint;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import io.psf.builtin.push.Workers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Says that the calling worker's training loop has ended: no cut waits for it. */
@PsFunction(value = "psf.training.leave", at = Place.SERVER)
public interface LeaveTraining {
    /**
     * The loop.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     * @param entries the worker's record, if it leaves in order; empty if its loop has failed
     * @param done true if it has ended after the last step: the servers have what the last checkpoint has, so no worker
     *     has to go back when a lost node comes back, until the next load or save
     * @param rollback the last rollback that the worker knows
     */
    record Request(@ByKey long server, String model, List<RecordEntry> entries, boolean done, long rollback) {}

    /** The acknowledgement. */
    record Response() {}

    /**
     * Removes the worker from the loop. The next checkpoint has its record. Fails with {@code ROLLED_BACK}, and removes
     * nothing, if the worker is done and the workers have to go back now.
     */
    default CompletionStage<Response> handle(Request request, StoredNode server) {
        RecordEntry.requireFit(request.entries());
        int worker = Workers.rank(server.call(), "training loop");
        TrainingState loop = TrainingLoops.of(server).at(request.model());
        CompletionStage<Void> told = request.done()
                ? server.restoreFrom(RestorePoint.saved(request.model(), false, request.rollback()))
                : CompletableFuture.completedFuture(null);
        return told.thenApply(done -> {
            loop.leave(worker, request.entries());
            return new Response();
        });
    }
}

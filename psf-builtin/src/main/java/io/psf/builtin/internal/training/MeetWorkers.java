package io.psf.builtin.internal.training;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import io.psf.builtin.checkpoint.RecordEntry;
import io.psf.builtin.push.Workers;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Meets the other workers of a training loop, at a cut or to load a checkpoint. One of them leads: it is answered when
 * all are there, and does the work. The others are answered when it has called {@link EndMeeting}.
 */
@PsFunction(value = "psf.training.meet", at = Place.SERVER)
public interface MeetWorkers {
    /** In place of the step of a cut: the workers load a checkpoint. */
    long LOAD = -1;

    /**
     * The worker's part.
     *
     * @param server any number; it selects the server, and is the same for all calls for loops
     * @param model the model's name
     * @param step the step of the cut, the same for all workers; {@link #LOAD} for a load
     * @param stop true if the worker wants this cut to be the last one
     * @param entries the worker's record
     */
    record Request(@ByKey long server, String model, long step, boolean stop, List<RecordEntry> entries) {}

    /**
     * The worker's role, or the outcome.
     *
     * @param leads true if the worker does the work for all
     * @param step the step that was saved or loaded; -1 if none was; 0 for the worker that leads
     * @param last true if this cut is the last one
     * @param joined for the worker that leads, true if workers have joined at this cut
     * @param workers for the worker that leads, the ranks of all
     * @param entries for the worker that leads, the records of all
     */
    record Response(boolean leads, long step, boolean last, boolean joined, int[] workers, List<RecordEntry> entries) {}

    /** Answers when all workers of the loop have called. Does not hold the lane meanwhile. */
    default CompletionStage<Response> handle(Request request, Node server) {
        RecordEntry.requireFit(request.entries());
        return TrainingLoops.of(server)
                .at(request.model())
                .meet(
                        Workers.rank(server.call(), "training loop"),
                        request.step(),
                        new Meeting.Attendance(request.stop(), request.entries()));
    }
}

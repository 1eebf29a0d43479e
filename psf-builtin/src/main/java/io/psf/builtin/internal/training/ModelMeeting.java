package io.psf.builtin.internal.training;

import io.psf.api.ClusterCaller;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.checkpoint.ModelWorks;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import java.util.List;

/**
 * A worker that meets others, for a save or load of a model that a server does for all of them.
 *
 * @param model the model's name
 * @param give copies the worker's reduced weights to the servers
 */
public record ModelMeeting(ClusterCaller worker, String model, ModelOptions options, Runnable give) {
    /**
     * Meets the others, and gives the reduced weights if the server asks for them.
     *
     * @param attempt the attempt of all workers; {@link MeetWorkers#LOOP}
     * @param load true for a load
     * @param step the step; {@link MeetWorkers#NEWEST}
     * @param stop true if this cut is to be the last one
     * @param whole true to wait until the checkpoint is complete
     * @param entries the worker's record
     */
    public MeetWorkers.Response meet(
            long attempt, boolean load, long step, boolean stop, boolean whole, List<RecordEntry> entries) {
        boolean given = load;
        while (true) {
            MeetWorkers.Response outcome = MeetWorkersPsf.stub(worker)
                    .withDeadline(ModelWorks.LIMIT)
                    .call(
                            ModelWorks.SERVER,
                            model,
                            attempt,
                            load,
                            step,
                            stop,
                            whole,
                            given,
                            options,
                            entries,
                            worker.notedRollback())
                    .await();
            if (!outcome.gives()) {
                return outcome;
            }
            give.run();
            given = true;
        }
    }
}

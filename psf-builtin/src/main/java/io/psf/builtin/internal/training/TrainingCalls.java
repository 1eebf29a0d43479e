package io.psf.builtin.internal.training;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.builtin.internal.checkpoint.ModelWorks;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import java.util.List;

/** The calls of a training loop to the server that leads it, and to all servers when the workers go back. */
public record TrainingCalls(ModelMeeting meeting) {
    private static final long SERVER = ModelWorks.SERVER;

    private ClusterCaller worker() {
        return meeting.worker();
    }

    private String model() {
        return meeting.model();
    }

    /**
     * Enters the loop.
     *
     * @param steps the number of the last step
     * @param back true if the worker has come back
     */
    public EnterTraining.Response enter(long steps, boolean back) {
        ClusterCaller worker = worker();
        return EnterTrainingPsf.stub(worker)
                .withDeadline(ModelWorks.LIMIT)
                .call(
                        SERVER,
                        model(),
                        steps,
                        worker.isLate(),
                        back,
                        meeting.options().isExact(),
                        worker.notedRollback())
                .await();
    }

    /**
     * Leaves the loop.
     *
     * @param entries the worker's record, if it leaves in order; empty if its loop has failed
     * @param done true if it has ended after the last step
     */
    public void leave(List<RecordEntry> entries, boolean done) {
        LeaveTrainingPsf.stub(worker())
                .call(SERVER, model(), entries, done, worker().notedRollback())
                .await();
    }

    Pending<TellStep.Response> tell(long next, long steps, long everyMillis, boolean stop) {
        return TellStepPsf.stub(worker())
                .withDeadline(ModelWorks.LIMIT)
                .call(SERVER, model(), next, steps, everyMillis, stop);
    }

    /** Meets the others at a cut. */
    public MeetWorkers.Response cut(long step, boolean stop, boolean whole, List<RecordEntry> entries) {
        return meeting.meet(MeetWorkers.LOOP, false, step, stop, whole, entries);
    }

    /** Meets the others to go back to the newest checkpoint. */
    public MeetWorkers.Response load() {
        return meeting.meet(MeetWorkers.LOOP, true, MeetWorkers.NEWEST, false, true, List.of());
    }

    /** Ends what waits on the servers: the workers go back to a checkpoint. */
    public void abandon(String reason) {
        AbandonStepsPsf.stub(worker()).call(model(), reason).await();
    }
}

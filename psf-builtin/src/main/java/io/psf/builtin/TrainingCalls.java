package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.builtin.checkpoint.RecordEntry;
import io.psf.builtin.internal.training.AbandonStepsPsf;
import io.psf.builtin.internal.training.BeginSave;
import io.psf.builtin.internal.training.BeginSavePsf;
import io.psf.builtin.internal.training.EndMeetingPsf;
import io.psf.builtin.internal.training.EndSavePsf;
import io.psf.builtin.internal.training.EnterTraining;
import io.psf.builtin.internal.training.EnterTrainingPsf;
import io.psf.builtin.internal.training.LeaveTrainingPsf;
import io.psf.builtin.internal.training.MeetWorkers;
import io.psf.builtin.internal.training.MeetWorkersPsf;
import io.psf.builtin.internal.training.PauseWorkerPsf;
import io.psf.builtin.internal.training.RestartStepsPsf;
import io.psf.builtin.internal.training.TellStep;
import io.psf.builtin.internal.training.TellStepPsf;
import io.psf.builtin.push.Workers;
import java.util.List;

/**
 * The calls of a training loop to the server that leads it, and to all servers when the workers begin anew.
 *
 * @param model the model's name
 */
record TrainingCalls(ClusterCaller worker, String model) {
    private static final long SERVER = ModelCalls.SERVER;

    /**
     * Returns in {@code cut} the step of the cut at which a late worker joins; {@link EnterTraining#TOGETHER} if it
     * begins with the others; {@link EnterTraining#BACK} if it goes back with them; {@link EnterTraining#OVER} if they
     * have ended.
     *
     * @param steps the number of the last step
     * @param back true if the worker has come back
     * @param ended true if there is a checkpoint of the last step
     */
    EnterTraining.Response enter(long steps, boolean back, boolean ended) {
        EnterTraining.Response place = enter(steps, worker.isLate(), false, back, ended);
        if (place.cut() != EnterTraining.LATE) {
            return place;
        }
        PauseWorkerPsf.stub(worker).call().await();
        place = enter(steps, true, true, false, ended);
        if (place.cut() < 0) { // the others have left
            restart(new int[] {worker.rank()}, false);
        }
        return place;
    }

    private EnterTraining.Response enter(long steps, boolean late, boolean paused, boolean back, boolean ended) {
        return EnterTrainingPsf.stub(worker)
                .withDeadline(ModelCalls.LIMIT)
                .call(SERVER, model, steps, late, paused, back, ended)
                .await();
    }

    /**
     * Leaves the loop.
     *
     * @param entries the worker's record, if it leaves in order; empty if its loop has failed
     */
    void leave(List<RecordEntry> entries) {
        LeaveTrainingPsf.stub(worker).call(SERVER, model, entries).await();
    }

    Pending<TellStep.Response> tell(long next, long steps, long everyMillis, boolean stop) {
        return TellStepPsf.stub(worker)
                .withDeadline(ModelCalls.LIMIT)
                .call(SERVER, model, next, steps, everyMillis, stop);
    }

    MeetWorkers.Response meet(long step, boolean stop, List<RecordEntry> entries) {
        return MeetWorkersPsf.stub(worker)
                .withDeadline(ModelCalls.LIMIT)
                .call(SERVER, model, step, stop, entries)
                .await();
    }

    /** Reports the outcome of a meeting. */
    void end(long meeting, PsException.Code code, String failed, long step) {
        EndMeetingPsf.stub(worker)
                .call(SERVER, model, meeting, code.ordinal(), failed, step)
                .await();
    }

    BeginSave.Response beginSave(long save, boolean waits) {
        return BeginSavePsf.stub(worker)
                .withDeadline(ModelCalls.LIMIT)
                .call(SERVER, model, save, waits)
                .await();
    }

    /** Returns the number of saves that have failed one after the other. */
    int endSave(long save, String failed) {
        return EndSavePsf.stub(worker).call(SERVER, model, save, failed).await().failures();
    }

    void abandon(String reason) {
        AbandonStepsPsf.stub(worker).call(model, reason).await();
    }

    /** Makes all workers begin that are present, and have loaded a checkpoint. */
    void restart(List<Member> members) {
        restart(Workers.of(members).stream().mapToInt(Integer::intValue).toArray(), true);
    }

    void restart(int[] workers, boolean loaded) {
        RestartStepsPsf.stub(worker).call(workers, loaded).await();
    }
}

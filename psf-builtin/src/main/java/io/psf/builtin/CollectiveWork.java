package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.builtin.checkpoint.FinishModelPsf;
import io.psf.builtin.checkpoint.JoinModelPsf;
import io.psf.builtin.checkpoint.LeadModel;
import io.psf.builtin.checkpoint.LeadModelPsf;
import io.psf.builtin.checkpoint.RecordEntry;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Work on the checkpoints of a model that one worker does for all.
 *
 * @param name the model's name
 */
record CollectiveWork(ClusterCaller worker, String name) {
    private static final long SERVER = ModelCalls.SERVER;

    /**
     * Does work once for all workers, between two points at which all of them wait.
     *
     * @param what the work, the same for all workers
     * @param work receives the number of the attempt and returns the step
     * @return the step that {@code work} returned on the worker that ran it
     */
    long run(String what, List<RecordEntry> entries, LongUnaryOperator work) {
        var unused = worker.rank(); // refused before anything is sent
        worker.awaitAll();
        long attempt = JoinModelPsf.stub(worker)
                .call(SERVER, name, what, entries)
                .await()
                .attempt();
        worker.barrier();
        LeadModel.Response turn = LeadModelPsf.stub(worker)
                .withDeadline(ModelCalls.LIMIT)
                .call(SERVER, name, attempt)
                .await();
        if (!turn.leads()) {
            return turn.step();
        }
        try {
            long step = work.applyAsLong(attempt);
            finish(attempt, PsException.Code.OK, "", step);
            return step;
        } catch (RuntimeException | Error e) {
            try {
                PsException.Code code = e instanceof PsException known ? known.code() : PsException.Code.CALLER_FAILED;
                finish(attempt, code, String.valueOf(e.getMessage()), -1);
            } catch (PsException notReported) {
                e.addSuppressed(notReported);
            }
            throw e;
        }
    }

    private void finish(long attempt, PsException.Code code, String failed, long step) {
        FinishModelPsf.stub(worker)
                .call(SERVER, name, attempt, code.ordinal(), failed, step)
                .await();
    }
}

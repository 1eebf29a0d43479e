package io.psf.builtin.internal.training;

import io.psf.builtin.internal.checkpoint.RecordEntry;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** What the server that leads a training loop does for its workers. The stages complete on the server's lane. */
interface LoopWork {
    /** True if a save of the model is under way. */
    boolean isBusy();

    /** Counts the saves that fail anew. */
    void forgetFailures();

    /**
     * Saves at a cut: the workers wait for the copies alone, unless the meeting is {@link Meeting#isWhole whole}.
     *
     * @param last true if the training ends here: a failure is the workers'
     * @return the step; -1 if it is not saved
     */
    CompletionStage<Long> cut(Meeting all, long step, List<RecordEntry> entries, boolean last);

    /**
     * Loads a step. The next push, all-reduce and clock of each worker is its first then.
     *
     * @param workers the ranks of the workers that begin
     */
    CompletionStage<Outcome> load(Meeting all, long step, int[] workers);

    /**
     * Makes workers begin with the same step, on all servers.
     *
     * @param loaded true if they have loaded a checkpoint
     * @param isWanted false once nobody waits for it
     */
    CompletionStage<Void> restart(int[] workers, boolean loaded, BooleanSupplier isWanted);

    /** Waits for no call of a worker, on all servers, until the worker begins. */
    CompletionStage<Void> pause(int worker, BooleanSupplier isWanted);
}

package io.psf.api;

import java.time.Duration;
import java.util.List;

/**
 * A caller that takes part in a cluster's work: a worker, or the test kit's. The classes from which a program starts,
 * such as {@code AllReduce} and {@code ModelCheckpoints}, are made of it. A caller that is no member of the cluster has
 * no rank: methods that need one fail with {@code BAD_REQUEST} and say so. Users implement none. Thread-safe unless the
 * implementation says otherwise.
 */
public interface ClusterCaller extends TensorCaller {
    /**
     * Returns the caller's role: {@link Role#WORKER}, which the test kit's callers have too, or {@link Role#CLIENT}.
     */
    default Role role() {
        return Role.WORKER;
    }

    /**
     * Returns this worker's rank among the workers, from 0.
     *
     * @throws PsException with {@code BAD_REQUEST} if the caller is no worker
     */
    int rank();

    /**
     * Returns the number of workers with which the job began, or more if more had joined when this one did; it is
     * higher than this worker's rank and does not change. A caller that is no worker gets the number of workers that
     * are present.
     */
    int workers();

    /**
     * True if this worker has joined a job that was running already, and has passed no barrier since then: other
     * workers do not wait for it where they wait for each other. False if the caller is no worker.
     */
    default boolean isLate() {
        return false;
    }

    /**
     * Returns true if this worker has joined a running job all of whose workers have to load a checkpoint, such as in
     * the place of a lost one ({@link Restore#ALL}); once, and not after a barrier.
     */
    default boolean takeReturn() {
        return false;
    }

    /** Returns the workers and servers that are in the cluster now, as this caller knows them. Does not block. */
    List<Member> members();

    /**
     * Returns the nodes that the scheduler counts as lost, in the order of their losses. A node that has left is not
     * among them.
     */
    List<Member> lost();

    /**
     * Blocks until every worker has called the barrier that was present when the first of them did. A worker that has
     * joined since then is counted from the next barrier. A worker that has left or is lost is not waited for.
     *
     * @throws PsException with {@code TIMED_OUT} if they do not within this worker's deadline; with {@code UNAVAILABLE}
     *     if a server is lost on which this worker has changed something, including by an acknowledged push; with
     *     {@code BAD_REQUEST} if the caller is no worker
     */
    void barrier();

    /** As {@link #barrier()}, with a deadline of its own. */
    void barrier(Duration limit);

    /**
     * Blocks until every earlier call on a tensor has ended.
     *
     * @throws PsException the failure of the first of them that failed and was not awaited; no later call throws the
     *     failures of the others
     */
    void await(TensorId tensor);

    /**
     * As {@link #await(TensorId)}, for the calls on all tensors. Also asks the servers whether they still hold the
     * acknowledged changes.
     *
     * @throws PsException the failure of the first call that failed and was not awaited; with {@code UNAVAILABLE} if a
     *     server is lost on which this worker has changed something
     */
    void awaitAll();

    /**
     * Returns the number of the last rollback of which this caller has taken note: the epoch in which a lost node had
     * come back, and all slices were to go back to a checkpoint. 0 for none. {@code ModelCheckpoints} tells it to the
     * server that saves and loads: a save after a later rollback is refused.
     */
    default long notedRollback() {
        return 0;
    }

    /**
     * Takes note of the rollbacks of until now, since a load begins that makes up for them. {@code ModelCheckpoints}
     * calls it for a client. Does nothing for a worker, of which a call fails with {@code ROLLED_BACK} in place of
     * that.
     */
    default void takeRollback() {}

    /**
     * Runs work when the process of this caller is told to end, before the caller leaves the cluster ({@code
     * PSF_LEAVE_AT_EXIT}). {@code TrainingLoop} calls it. Does nothing where nobody leaves at the end of a process.
     *
     * @param ending may block; the process waits for it for up to 3 seconds
     * @return revokes it
     */
    default Runnable atExit(Runnable ending) {
        return () -> {};
    }

    /**
     * Ends the cluster, whether it is a job or a service. Returns once the scheduler knows it; the servers end, and the
     * calls of all other workers and clients fail with {@code CLOSED}. The tensors are lost, unless they were
     * saved.
     */
    void end();
}

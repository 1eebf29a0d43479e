package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.builtin.internal.ssp.SspInit;
import io.psf.builtin.internal.ssp.SspInitPsf;
import io.psf.builtin.internal.ssp.SspSyncPsf;
import java.time.Duration;

/**
 * Stale synchronous parallel: each worker runs at its own pace, but no worker is more than {@code staleness} clocks
 * ahead of the slowest. With a staleness of 0 all workers advance in lockstep.
 *
 * <pre>{@code
 * Ssp ssp = Ssp.join(worker, 1, 3);          // group 1, all workers, at most 3 clocks apart
 * for (Batch batch : batches) {
 *     Tensors.push(worker, w, gradient(batch)).await();
 *     ssp.tick();                            // blocks while the slowest is more than 3 clocks behind
 * }
 * }</pre>
 *
 * <p>A worker that has left or is lost is not waited for. Not thread-safe: used by one thread. A worker joins a group
 * once.
 */
public final class Ssp {
    private final SspSyncPsf.Stub stub;
    private final long group;
    private final int rank;
    private long clock;

    private Ssp(SspSyncPsf.Stub stub, long group, int rank, long clock) {
        this.stub = stub;
        this.group = group;
        this.rank = rank;
        this.clock = clock;
    }

    /**
     * Joins a group of all workers. Blocks until the group exists. A worker that joins the cluster later begins with
     * the clock of the slowest, and is waited for from then on.
     *
     * @param group the group's key, any number
     * @param staleness the number of clocks that a worker may be ahead of the slowest, at least 0
     * @throws io.psf.api.PsException with {@code ALREADY_EXISTS} if the group exists with another staleness; with
     *     {@code BAD_REQUEST} if the caller is no worker
     */
    public static Ssp join(ClusterCaller worker, long group, int staleness) {
        return join(worker, group, worker.rank(), SspInit.ALL, staleness);
    }

    /**
     * Joins a group of some workers. Blocks until the group exists. A worker that takes the rank of a lost one begins
     * with the clock of the slowest.
     *
     * @param group the group's key, any number
     * @param rank this worker's rank in the group, from 0
     * @param size the number of workers in the group
     * @param staleness the number of clocks that a worker may be ahead of the slowest, at least 0
     * @throws io.psf.api.PsException with {@code ALREADY_EXISTS} if the group exists with another size or staleness;
     *     with {@code BAD_REQUEST} if the caller is no worker, or a present worker has the rank, or the rank is not
     *     below the size
     */
    public static Ssp join(ClusterCaller worker, long group, int rank, int size, int staleness) {
        var unused = worker.rank(); // refused before anything is sent
        long clock =
                SspInitPsf.stub(worker).call(group, size, staleness).await().clock();
        if (size != SspInit.ALL) {
            SspSyncPsf.stub(worker).call(group, rank, clock).await(); // the rank is this worker's from now on
        }
        return new Ssp(SspSyncPsf.stub(worker), group, rank, clock);
    }

    /**
     * Reports that this worker has finished a clock. Blocks until this worker is at most {@code staleness} clocks ahead
     * of the slowest.
     *
     * @return the clock that the slowest worker has reached
     * @throws io.psf.api.PsException with {@code TIMED_OUT} if the worker's deadline passes first; the next
     *     {@code tick} then waits for the same clock again
     */
    public long tick() {
        return tick(stub);
    }

    /** Like {@link #tick()}, with {@code limit} instead of the worker's deadline. */
    public long tick(Duration limit) {
        return tick(stub.withDeadline(limit));
    }

    private long tick(SspSyncPsf.Stub stub) {
        long slowest = stub.call(group, rank, clock + 1).await().slowest();
        clock++;
        return slowest;
    }

    /** Returns the clock that this worker has reached: that with which it has begun, and one for each {@link #tick}. */
    public long clock() {
        return clock;
    }
}

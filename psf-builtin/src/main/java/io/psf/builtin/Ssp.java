package io.psf.builtin;

import io.psf.builtin.sync.SspInitPsf;
import io.psf.builtin.sync.SspSyncPsf;
import io.psf.runtime.Worker;
import java.time.Duration;

/**
 * Stale synchronous parallel: workers go on at their own pace, but none is more than so many clocks ahead of the slowest.
 * With a staleness of 0 they go in step.
 *
 * <pre>{@code
 * Ssp ssp = Ssp.join(worker, 1, 3);          // group 1, all workers, at most 3 clocks apart
 * for (Batch batch : batches) {
 *     Tensors.push(worker, w, gradient(batch)).await();
 *     ssp.tick();                            // waits while the slowest is more than 3 clocks behind
 * }
 * }</pre>
 *
 * <p>A worker that leaves or is lost is not waited for. Belongs to one thread; a worker takes part in a group once.
 */
public final class Ssp {
    private final SspSyncPsf.Stub stub;
    private final long group;
    private final int rank;
    private long clock;

    private Ssp(SspSyncPsf.Stub stub, long group, int rank) {
        this.stub = stub;
        this.group = group;
        this.rank = rank;
    }

    /**
     * Takes part in a group of all workers that the cluster began with.
     *
     * @param group the group's key, any number
     * @param staleness how many clocks a worker may be ahead of the slowest, at least 0
     * @throws io.psf.api.PsException with {@code ALREADY_EXISTS} if the group is there with another staleness
     */
    public static Ssp join(Worker worker, long group, int staleness) {
        return join(worker, group, worker.rank(), worker.workers(), staleness);
    }

    /**
     * Takes part in a group of some workers.
     *
     * @param group the group's key, any number
     * @param rank this worker's rank in the group, from 0
     * @param size how many workers take part
     * @param staleness how many clocks a worker may be ahead of the slowest, at least 0
     * @throws io.psf.api.PsException with {@code ALREADY_EXISTS} if the group is there with another size or staleness
     */
    public static Ssp join(Worker worker, long group, int rank, int size, int staleness) {
        SspInitPsf.stub(worker).call(group, size, staleness).await();
        return new Ssp(SspSyncPsf.stub(worker), group, rank);
    }

    /**
     * Says that this worker has finished another clock, and waits until it is at most {@code staleness} ahead of the
     * slowest.
     *
     * @return the clock that the slowest has reached
     * @throws io.psf.api.PsException with {@code TIMED_OUT} if that takes too long; to tick again then goes on waiting for
     *     the same clock
     */
    public long tick() {
        return tick(stub);
    }

    /** As {@link #tick()}, with a limit of its own in the place of the worker's deadline. */
    public long tick(Duration limit) {
        return tick(stub.withDeadline(limit));
    }

    private long tick(SspSyncPsf.Stub stub) {
        long slowest = stub.call(group, rank, clock + 1).await().slowest();
        clock++;
        return slowest;
    }

    /** How many clocks this worker has finished. */
    public long clock() {
        return clock;
    }
}

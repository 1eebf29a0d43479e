package io.psf.builtin;

import io.psf.builtin.sync.PartialReducePartnersPsf;
import io.psf.runtime.Worker;
import java.time.Duration;

/**
 * Partial reduce: a worker that is ready goes on with whoever else is ready at about the same time, and does not wait for
 * stragglers.
 *
 * <pre>{@code
 * PartialReduce group = PartialReduce.of(worker, 1, 3, Duration.ofMillis(100));
 * int[] partners = group.partners();         // 3 workers, or those that came within 100 ms of the first
 * }</pre>
 *
 * <p>Thread-safe; a worker is in one open group of a key at most.
 */
public final class PartialReduce {
    private static final Duration TO_ANSWER = Duration.ofSeconds(30);

    private final PartialReducePartnersPsf.Stub stub;
    private final long group;
    private final int rank;
    private final int wanted;
    private final int maxWaitMillis;

    private PartialReduce(PartialReducePartnersPsf.Stub stub, long group, int rank, int wanted, int maxWaitMillis) {
        this.stub = stub;
        this.group = group;
        this.rank = rank;
        this.wanted = wanted;
        this.maxWaitMillis = maxWaitMillis;
    }

    /**
     * Describes how this worker, under its own rank, finds its partners.
     *
     * @param group the group's key, any number; who is to be partners uses the same
     * @param wanted how many workers close the group at once, itself included
     * @param maxWait how long the first to come waits for the others at most, below 24 days
     * @throws IllegalArgumentException if it is longer
     */
    public static PartialReduce of(Worker worker, long group, int wanted, Duration maxWait) {
        if (maxWait.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("maxWait: " + maxWait + " (expected: below 24 days)");
        }
        return new PartialReduce(
                PartialReducePartnersPsf.stub(worker).withDeadline(maxWait.plus(TO_ANSWER)),
                group,
                worker.rank(),
                wanted,
                (int) maxWait.toMillis());
    }

    /**
     * Says that this worker is ready, and waits for its partners.
     *
     * @return [n], the ranks of those that came within the time, ascending, this worker's own among them; the same for all
     *     of them
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if another number of workers is wanted in the open group
     */
    public int[] partners() {
        return stub.call(group, rank, wanted, maxWaitMillis).await().ranks();
    }
}

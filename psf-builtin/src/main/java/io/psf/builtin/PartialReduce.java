package io.psf.builtin;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.sync.PartialReduceMeanPsf;
import io.psf.builtin.partial.PartialReducePartners;
import io.psf.builtin.sync.PartialReducePartnersPsf;
import io.psf.runtime.Worker;
import java.time.Duration;

/**
 * Partial reduce: a worker that is ready goes on with whoever else is ready at about the same time, and does not wait for
 * stragglers.
 *
 * <pre>{@code
 * PartialReduce ready = PartialReduce.of(worker, 1, 3, Duration.ofMillis(100));
 * while (training) {
 *     step(weights);
 *     ready.average(w, weights);             // with 2 others, or with those that are ready 100 ms after the first
 * }
 * }</pre>
 *
 * <p>Belongs to one thread; a worker is in one open group of a key at most.
 */
public final class PartialReduce {
    private static final Duration TO_ANSWER = Duration.ofSeconds(30);

    private final PartialReducePartnersPsf.Stub stub;
    private final PartialReduceMeanPsf.Stub mean;
    private final long group;
    private final int rank;
    private final int wanted;
    private final int maxWaitMillis;

    private PartialReduce(Worker worker, long group, int wanted, int maxWaitMillis) {
        this.stub = PartialReducePartnersPsf.stub(worker)
                .withDeadline(Duration.ofMillis(maxWaitMillis).plus(TO_ANSWER));
        this.mean = PartialReduceMeanPsf.stub(worker);
        this.group = group;
        this.rank = worker.rank();
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
        return new PartialReduce(worker, group, wanted, (int) maxWait.toMillis());
    }

    /**
     * Says that this worker is ready, and waits for its partners.
     *
     * @return [n], the ranks of those that came within the time, ascending, this worker's own among them; the same for all
     *     of them
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if another number of workers is wanted in the open group
     */
    public int[] partners() {
        return ready().ranks();
    }

    /**
     * Says that this worker is ready, waits for its partners, and averages with them.
     *
     * @param tensor whose shape the values have; the servers of its slices average a part each, and its own values stay
     * @param values [rows, width] float32, replaced by the mean over the partners unless the call fails
     * @return as {@link #partners}
     * @throws io.psf.api.PsException as {@link #partners}; with {@code BAD_REQUEST} if the values have another length, and
     *     with {@code TIMED_OUT} if a partner is there but does not send its values within the worker's deadline
     */
    public int[] average(TensorId tensor, float[] values) {
        PartialReducePartners.Response partners = ready();
        FloatArray mine = FloatArray.wrap(values);
        mean.call(tensor, group, partners.number(), partners.ranks(), mine)
                .await()
                .mean()
                .copyTo(mine);
        return partners.ranks();
    }

    private PartialReducePartners.Response ready() {
        return stub.call(group, rank, wanted, maxWaitMillis).await();
    }
}

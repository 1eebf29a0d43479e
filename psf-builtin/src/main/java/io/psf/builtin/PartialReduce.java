package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.internal.partial.PartialReduceMeanPsf;
import io.psf.builtin.internal.partial.PartialReducePartners;
import io.psf.builtin.internal.partial.PartialReducePartnersPsf;
import java.time.Duration;

/**
 * Partial reduce: a worker that is ready synchronizes with the other workers that are ready at about the same time. It
 * does not wait for stragglers.
 *
 * <pre>{@code
 * PartialReduce ready = PartialReduce.of(worker, 1, 3, Duration.ofMillis(100));
 * while (training) {
 *     step(weights);
 *     ready.average(w, weights);             // with 2 others, or with all that are ready within 100 ms of the first
 * }
 * }</pre>
 *
 * <p>Not thread-safe: used by one thread. A worker is in at most one open group of a key.
 */
public final class PartialReduce {
    private static final Duration TO_ANSWER = Duration.ofSeconds(30);

    private final PartialReducePartnersPsf.Stub stub;
    private final PartialReduceMeanPsf.Stub mean;
    private final long group;
    private final int rank;
    private final int wanted;
    private final int maxWaitMillis;

    private PartialReduce(ClusterCaller worker, long group, int wanted, int maxWaitMillis) {
        this.stub = PartialReducePartnersPsf.stub(worker)
                .withDeadline(Duration.ofMillis(maxWaitMillis).plus(TO_ANSWER));
        this.mean = PartialReduceMeanPsf.stub(worker);
        this.group = group;
        this.rank = worker.rank();
        this.wanted = wanted;
        this.maxWaitMillis = maxWaitMillis;
    }

    /**
     * Creates a partial reduce for this worker, under its own rank. Sends nothing.
     *
     * @param group the group's key, any number; all possible partners use the same key
     * @param wanted the number of workers, this one included, at which the group closes at once
     * @param maxWait the longest time that the first worker of a group waits for the others, below 24 days
     * @throws IllegalArgumentException if {@code maxWait} is longer
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the caller is no worker
     */
    public static PartialReduce of(ClusterCaller worker, long group, int wanted, Duration maxWait) {
        if (maxWait.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("maxWait: " + maxWait + " (expected: below 24 days)");
        }
        return new PartialReduce(worker, group, wanted, (int) maxWait.toMillis());
    }

    /**
     * Reports that this worker is ready. Blocks until the group closes.
     *
     * @return [n] int32, the ranks of the workers that were ready in time, ascending, this worker's own included; the
     *     same for all partners
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if the open group was opened with another number of
     *     wanted workers
     */
    public int[] partners() {
        return ready().ranks();
    }

    /**
     * Reports that this worker is ready, and averages its values with its partners' values. Blocks until the mean is
     * received.
     *
     * @param tensor the tensor whose shape the values have; the servers of its slices average one part each; the
     *     tensor's own values do not change
     * @param values [rows, width] float32, replaced by the mean over the partners unless the call fails
     * @return as {@link #partners}
     * @throws io.psf.api.PsException as {@link #partners}; with {@code BAD_REQUEST} if the values have another length,
     *     and with {@code TIMED_OUT} if a partner is alive but does not send its values within the worker's deadline
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

package io.psf.builtin;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.policy.CountPolicyPsf;

/**
 * What the policy of a growing table has done, over all slices, since the table was made.
 *
 * @param rows the rows that the table has
 * @param admitted the rows that were made by pushes
 * @param refused the updates that were dropped, since their keys had not come often enough
 * @param expired the rows that were removed since no push touched them
 * @param evicted the rows that were removed since the table was full
 */
public record TableCounts(long rows, long admitted, long refused, long expired, long evicted) {
    /** Returns the counts of a table. Blocks until the servers have answered. */
    public static TableCounts of(TensorCaller worker, TensorId table) {
        var counts = CountPolicyPsf.stub(worker).call(table).await();
        return new TableCounts(counts.rows(), counts.admitted(), counts.refused(), counts.expired(), counts.evicted());
    }
}

package io.psf.builtin.policy;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/** Returns what the policy of a growing table has done. */
@PsFunction(value = "psf.table.counts", readOnly = true)
public interface CountPolicy {
    /**
     * The table.
     *
     * @param table the table
     */
    record Request(TensorId table) {}

    /**
     * The counts since the table was made.
     *
     * @param rows the rows that the table has
     * @param admitted the rows that were made by pushes
     * @param refused the updates that were dropped, since their keys had not come often enough
     * @param expired the rows that were removed since no push touched them
     * @param evicted the rows that were removed since the table was full
     */
    record Response(
            @Reduce(SUM) long rows,
            @Reduce(SUM) long admitted,
            @Reduce(SUM) long refused,
            @Reduce(SUM) long expired,
            @Reduce(SUM) long evicted) {}

    /** Returns the counts of this shard. */
    default Response handle(Request slice, Shard shard) {
        RowPolicy.Counts counts = RowPolicy.of(shard).counts();
        return new Response(shard.rows(), counts.admitted(), counts.refused(), counts.expired(), counts.evicted());
    }
}

package io.psf.builtin;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.policy.CountPolicy;
import io.psf.builtin.policy.CountPolicyPsf;

/** The rows that the policy of a growing table has made and removed, over all slices, since the table was made. */
public final class TableCounts {
    private final CountPolicy.Response counts;

    private TableCounts(CountPolicy.Response counts) {
        this.counts = counts;
    }

    /** Returns the counts of a table. Blocks until the servers have answered. */
    public static TableCounts of(TensorCaller worker, TensorId table) {
        return new TableCounts(CountPolicyPsf.stub(worker).call(table).await());
    }

    /** Returns the number of rows that the table has. */
    public long rows() {
        return counts.rows();
    }

    /** Returns the number of rows that were made by pushes. */
    public long admitted() {
        return counts.admitted();
    }

    /** Returns the number of updates that were dropped, since their keys had not come often enough. */
    public long refused() {
        return counts.refused();
    }

    /** Returns the number of rows that were removed since no push touched them. */
    public long expired() {
        return counts.expired();
    }

    /** Returns the number of rows that were removed since the table was full. */
    public long evicted() {
        return counts.evicted();
    }

    /** Returns the counts, such as {@code rows=50, admitted=50, refused=150, expired=0, evicted=0}. */
    @Override
    public String toString() {
        return "rows=" + rows() + ", admitted=" + admitted() + ", refused=" + refused() + ", expired=" + expired()
                + ", evicted=" + evicted();
    }
}

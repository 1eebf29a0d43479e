package io.psf.gpu;

import io.psf.api.Range;
import io.psf.gpu.shard.RuleLaunches;

/** The claims and the status of a table that does not grow, for the kernels. */
final class HostClaims {
    private final HostKernels kernels;
    private final long status;

    HostClaims(HostKernels kernels) {
        this.kernels = kernels;
        this.status = kernels.allocate(24);
    }

    /** Returns claims for n items, none of them taken. */
    static RuleLaunches.Taken of(HostKernels kernels, int n) {
        int entries = RuleLaunches.Taken.entriesFor(n);
        return new RuleLaunches.Taken(kernels.allocate(8L * entries), entries - 1);
    }

    /** Steps the rows of keys. */
    void push(HostRule stepped, long[] keys, float[] update, Range range) {
        push(stepped, keys, update, range, of(kernels, keys.length));
    }

    /** Steps the rows of keys, none of which is repeated. */
    void pushOnce(HostRule stepped, long[] keys, float[] update, Range range) {
        push(stepped, keys, update, range, new RuleLaunches.Taken(0, 0));
    }

    private void push(HostRule stepped, long[] keys, float[] update, Range range, RuleLaunches.Taken claims) {
        int n = keys.length;
        kernels.write(status, 0, 0, 0, 0);
        long rowsOfKeys = kernels.allocate(4L * n);
        kernels.launch(
                "psf_rows_in_range",
                kernels.copy(keys),
                n,
                range.begin(),
                range.end(),
                rowsOfKeys,
                claims.table(),
                claims.mask(),
                status);
        stepped.stepRows(update, rowsOfKeys, rowsOfKeys, n, 0, claims, status);
    }

    int duplicates() {
        return kernels.ints(status, 3)[2];
    }

    /** Returns the index of the first key that the table does not have. */
    int firstInvalid(int n) {
        return n - kernels.ints(status, 1)[0];
    }
}

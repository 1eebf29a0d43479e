package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Range;
import java.util.Arrays;

/** The claims and the status of a table that does not grow, for the kernels. */
final class HostClaims {
    private final HostKernels kernels;
    private final long claims;
    private final long status;
    private final int rows;

    HostClaims(HostKernels kernels, int rows) {
        this.kernels = kernels;
        this.rows = rows;
        int[] unclaimed = new int[rows];
        Arrays.fill(unclaimed, HostTable.UNCLAIMED);
        this.claims = kernels.copy(unclaimed);
        this.status = kernels.allocate(24);
    }

    /** Steps the rows of keys. */
    void push(HostRule stepped, long[] keys, float[] update, Range range) {
        int n = keys.length;
        kernels.write(status, 0, 0, 0, 0);
        long rowsOfKeys = kernels.allocate(4L * n);
        kernels.launch(
                "psf_rows_in_range", kernels.copy(keys), n, range.begin(), range.end(), rowsOfKeys, claims, status);
        stepped.stepRows(update, rowsOfKeys, n, claims, status);
    }

    int duplicates() {
        return kernels.ints(status, 3)[2];
    }

    /** Returns the index of the first key that the table does not have. */
    int firstInvalid(int n) {
        return n - kernels.ints(status, 1)[0];
    }

    void assertUnclaimed() {
        assertThat(kernels.ints(claims, rows)).containsOnly(HostTable.UNCLAIMED);
    }
}

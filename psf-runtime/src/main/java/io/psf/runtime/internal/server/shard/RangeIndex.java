package io.psf.runtime.internal.server.shard;

import io.psf.api.PsException;
import io.psf.api.Range;
import java.util.Objects;

/** The rows of a range of keys, in key order. */
final class RangeIndex implements RowIndex {
    private final Range range;
    private final int rows;

    RangeIndex(Range range) {
        this.range = range;
        this.rows = Math.toIntExact(range.length());
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public long key(int row) {
        return range.begin() + Objects.checkIndex(row, rows);
    }

    @Override
    public void rows(long[] keys, int n, int[] into, int at) {
        long first = range.begin();
        long last = rows - 1L;
        long wrong = 0;
        for (int i = 0; i < n; i++) {
            long row = keys[i] - first;
            wrong |= row | (last - row); // negative if a key is outside
            into[at + i] = (int) row;
        }
        for (int i = 0; wrong < 0 && i < n; i++) {
            if (!range.contains(keys[i])) {
                throw new PsException(
                        PsException.Code.OUT_OF_RANGE, "key: " + keys[i] + " (expected: a row in " + range + ")");
            }
        }
    }

    @Override
    public int find(long[] keys, int n, int[] into, int at) {
        rows(keys, n, into, at);
        return n;
    }
}

package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorLayout;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the repeated keys of a call, and the slice that owns each key. The methods are called in this order:
 * {@link #begin}, {@link #requireRows}, optionally {@link #findRepeats}, {@link #group}, {@link #repeats}. Each thread
 * reuses one instance, so that a call allocates no arrays of its keys' length except the arrays that it retains.
 */
final class KeyGrouping {
    /** The most keys for which a thread retains the arrays: about 3 MB. */
    private static final int MOST = 1 << 16;

    private static final ThreadLocal<KeyGrouping> KEPT = ThreadLocal.withInitial(() -> new KeyGrouping(1 << 10));

    /** The keys. After {@link #findRepeats}, the distinct keys in the order of their first occurrence. */
    private final long[] keys;
    /** The first position of each distinct key; unused if no key is repeated. */
    private final int[] positions;
    /** The slice of each distinct key. */
    private final int[] slices;
    /** The row of each distinct key among the keys of its slice. */
    private final int[] rows;

    private final int[] repeatPositions;
    /** The index of the distinct key at each repeated position. */
    private final int[] repeatKeys;

    /**
     * An open-addressed hash table. The entry of a key is {@link #base} plus one plus the key's index in {@link #keys}.
     * An entry that is not greater than the base was left by earlier keys and counts as empty, so that the table need
     * not be cleared.
     */
    private final int[] table;

    private int base;
    private int given;
    private int distinct;

    private KeyGrouping(int most) {
        keys = new long[most];
        positions = new int[most];
        slices = new int[most];
        rows = new int[most];
        repeatPositions = new int[most];
        repeatKeys = new int[most];
        table = new int[(int) Math.min(1L << 30, Long.highestOneBit(Math.max(1, most)) << 2)];
    }

    /** Starts the grouping of keys, and discards the state of earlier keys. */
    static KeyGrouping begin(LongArray keys) {
        int n = keys.length();
        KeyGrouping grouping = KEPT.get();
        if (n > grouping.keys.length) {
            int most = n <= MOST ? Integer.highestOneBit(n - 1) << 1 : n;
            grouping = new KeyGrouping(most);
            if (n <= MOST) {
                KEPT.set(grouping);
            }
        }
        keys.copyTo(grouping.keys);
        grouping.given = n;
        grouping.distinct = n;
        return grouping;
    }

    /**
     * Checks that each key is a row of the tensor.
     *
     * @throws PsException with {@code OUT_OF_RANGE}, naming the first key that is not a row
     */
    void requireRows(String name, long tensorRows) {
        long last = tensorRows - 1;
        long wrong = 0;
        for (int p = 0; p < given; p++) {
            wrong |= keys[p] | (last - keys[p]); // negative if one of them is negative
        }
        if (wrong >= 0) {
            return;
        }
        int p = 0;
        while (keys[p] >= 0 && keys[p] <= last) {
            p++;
        }
        throw new PsException(
                PsException.Code.OUT_OF_RANGE,
                name + "[" + p + "]: " + keys[p] + " (expected: a row in [0, " + tensorRows + "))");
    }

    /** Finds the keys that also occur at earlier positions. */
    void findRepeats() {
        int ascending = 1;
        while (ascending < given && keys[ascending] > keys[ascending - 1]) {
            ascending++;
        }
        if (ascending >= given) {
            return;
        }
        if (base > Integer.MAX_VALUE - given) {
            Arrays.fill(table, 0);
            base = 0;
        }
        int mask = table.length - 1;
        int shift = Long.SIZE - Integer.numberOfTrailingZeros(table.length);
        int base = this.base;
        int count = 0;
        int repeats = 0;
        for (int p = 0; p < given; p++) {
            long key = keys[p];
            int at = (int) ((key * 0x9E3779B97F4A7C15L) >>> shift);
            int known = table[at] - base;
            while (known > 0 && keys[known - 1] != key) {
                at = (at + 1) & mask;
                known = table[at] - base;
            }
            if (known > 0) {
                repeatPositions[repeats] = p;
                repeatKeys[repeats++] = known - 1;
            } else {
                keys[count] = key;
                positions[count++] = p;
                table[at] = base + count;
            }
        }
        distinct = count;
        this.base = base + count;
    }

    /**
     * Groups the distinct keys by slice.
     *
     * @param starts [slices + 1], receives the beginning of each slice's group
     * @return the keys' positions, grouped by slice; null if element i is i, for each i
     */
    int @Nullable [] group(TensorLayout layout, int[] starts) {
        if (starts.length == 2) {
            starts[1] = distinct;
            return distinct == given ? null : Arrays.copyOf(positions, distinct);
        }
        if (findSlices(layout, starts) && distinct == given) {
            return null;
        }
        int[] at = Arrays.copyOf(starts, starts.length);
        int[] order = new int[distinct];
        for (int i = 0; i < distinct; i++) {
            int row = at[slices[i]]++;
            rows[i] = row - starts[slices[i]];
            order[row] = distinct == given ? i : positions[i];
        }
        return order;
    }

    /** Finds each distinct key's slice. Returns true if the keys are grouped by slice already. */
    private boolean findSlices(TensorLayout layout, int[] starts) {
        long[] bounds = layout.bounds().stream().mapToLong(Long::longValue).toArray();
        int last = starts.length - 2;
        double scale = (double) (last + 1) / layout.info().rows();
        boolean grows = layout.info().grows();
        boolean grouped = true;
        int before = 0;
        for (int i = 0; i < distinct; i++) {
            long row = grows ? TensorLayout.position(TensorLayout.hash(keys[i])) : keys[i];
            int slice = Math.min((int) (row * scale), last); // exact or off by one if all slices have equal size
            if (row < bounds[slice] || row >= bounds[slice + 1]) {
                slice = search(bounds, row);
            }
            slices[i] = slice;
            starts[slice + 1]++;
            grouped &= slice >= before;
            before = slice;
        }
        for (int s = 1; s < starts.length; s++) {
            starts[s] += starts[s - 1];
        }
        return grouped;
    }

    /** Returns the slice of a row: the last slice that begins at or before the row. */
    private static int search(long[] bounds, long row) {
        int low = 0;
        int high = bounds.length - 2;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (bounds[middle] <= row) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Returns the repeated keys, grouped by slice; null if there are none. Called after {@link #group}. */
    @Nullable
    Repeats repeats(Reduction combine, int[] groupStarts) {
        int n = given - distinct;
        if (n == 0) {
            return null;
        }
        int[] starts = new int[groupStarts.length];
        if (starts.length == 2) {
            starts[1] = n;
            return new Repeats(combine, Arrays.copyOf(repeatPositions, n), Arrays.copyOf(repeatKeys, n), starts, 0);
        }
        for (int i = 0; i < n; i++) {
            starts[slices[repeatKeys[i]] + 1]++;
        }
        for (int s = 1; s < starts.length; s++) {
            starts[s] += starts[s - 1];
        }
        int[] at = Arrays.copyOf(starts, starts.length);
        int[] positions = new int[n];
        int[] rows = new int[n];
        for (int i = 0; i < n; i++) {
            int to = at[slices[repeatKeys[i]]]++;
            positions[to] = repeatPositions[i];
            rows[to] = this.rows[repeatKeys[i]];
        }
        return new Repeats(combine, positions, rows, starts, 0);
    }
}

package io.psf.builtin.checkpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys that later files of a chain name: what an earlier file has of them no longer counts.
 *
 * @param named the keys of each later file, sorted
 */
record Superseded(List<long[]> named) {
    static final Superseded NONE = new Superseded(List.of());

    Superseded {
        named = List.copyOf(named);
    }

    /** Returns true if there is no later file. */
    boolean isEmpty() {
        return named.isEmpty();
    }

    boolean has(long key) {
        for (long[] each : named) {
            if (Arrays.binarySearch(each, key) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns these keys and those of a file. */
    Superseded and(long[] keys) {
        long[] sorted = keys.clone();
        Arrays.sort(sorted);
        List<long[]> all = new ArrayList<>(named);
        all.add(sorted);
        return new Superseded(all);
    }
}

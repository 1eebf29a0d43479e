package io.psf.builtin.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys that later images of a chain name: what an earlier image has of them no longer counts.
 *
 * @param named the keys of each later image, sorted
 */
public record Superseded(List<long[]> named) {
    /** No keys. */
    public static final Superseded NONE = new Superseded(List.of());

    public Superseded {
        named = List.copyOf(named);
    }

    /** Returns true if there is no later image. */
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

    /** Returns these keys and the keys of an image. */
    Superseded and(long[] keys) {
        long[] sorted = keys.clone();
        Arrays.sort(sorted);
        List<long[]> all = new ArrayList<>(named);
        all.add(sorted);
        return new Superseded(all);
    }
}

package io.psf.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The keys of a growing table's shard, in the order of their rows. */
final class TestKeys {
    private final List<Long> keys = new ArrayList<>();
    private final Map<Long, Integer> rows = new HashMap<>();

    int size() {
        return keys.size();
    }

    long key(int row) {
        return keys.get(row);
    }

    /** Returns the key's row, or -1. */
    int find(long key) {
        return rows.getOrDefault(key, -1);
    }

    /** Adds a key, which becomes the last row. */
    void add(long key) {
        rows.put(key, keys.size());
        keys.add(key);
    }

    /** Removes a key. The last row takes the number of the removed row. */
    void remove(long key) {
        int row = find(key);
        int last = keys.size() - 1;
        long moved = keys.remove(last);
        rows.remove(key);
        if (row != last) {
            keys.set(row, moved);
            rows.put(moved, row);
        }
    }

    void clear() {
        keys.clear();
        rows.clear();
    }
}

package io.psf.builtin.cache;

import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A table with versions as plain arrays, whose pushes are added, and what it has been at each version. */
final class CacheModel {
    final float[][] values;
    final long[] versions;
    private final List<Map<Long, float[]>> history = new ArrayList<>();

    CacheModel(int rows, int width) {
        values = new float[rows][width];
        versions = new long[rows];
        for (float[] row : values) {
            history.add(new HashMap<>(Map.of(0L, row.clone())));
        }
    }

    /** A push of small whole numbers, with duplicates; each counts at least one update. */
    static Push randomPush(Random random, int rows, int width) {
        int n = random.nextInt(12);
        long[] keys = random.longs(n, 0, rows).toArray();
        float[] gradients = new float[n * width];
        int[] updates = new int[n];
        for (int i = 0; i < gradients.length; i++) {
            gradients[i] = random.nextInt(9) - 4;
        }
        for (int i = 0; i < n; i++) {
            updates[i] = 1 + random.nextInt(3);
        }
        return new Push(LongArray.wrap(keys), FloatArray.wrap(gradients), IntArray.wrap(updates));
    }

    record Push(LongArray keys, FloatArray gradients, IntArray updates) {}

    void apply(Push push) {
        for (int i = 0; i < push.keys().length(); i++) {
            int row = (int) push.keys().get(i);
            versions[row] += push.updates().get(i);
            for (int c = 0; c < values[row].length; c++) {
                values[row][c] += push.gradients().get(i * values[row].length + c);
            }
        }
        for (int row = 0; row < values.length; row++) {
            history.get(row).put(versions[row], values[row].clone());
        }
    }

    float[] at(long row, long version) {
        return history.get((int) row).getOrDefault(version, new float[0]);
    }

    /** What a worker keeps: versions and values of rows. */
    static final class Cache {
        final Map<Long, Long> versions = new TreeMap<>();
        final Map<Long, float[]> values = new HashMap<>();

        LongArray versionsOf(LongArray keys) {
            LongArray mine = LongArray.allocate(keys.length());
            for (int i = 0; i < mine.length(); i++) {
                mine.set(i, versions.getOrDefault(keys.get(i), -1L));
            }
            return mine;
        }

        void take(LongArray keys, LongArray newVersions, FloatArray newValues) {
            int width = keys.length() == 0 ? 0 : newValues.length() / keys.length();
            for (int i = 0; i < keys.length(); i++) {
                versions.put(keys.get(i), newVersions.get(i));
                values.put(
                        keys.get(i), newValues.slice(i * width, (i + 1) * width).toArray());
            }
        }
    }
}

package io.psf.builtin.sync;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.util.Arrays;
import java.util.List;

/** The sum of a round's updates, in the order given, as one update. */
final class Sum {
    private Sum() {}

    /**
     * Adds updates up: rows where all are sparse, the whole shard otherwise.
     *
     * @param updates at least one
     * @param scale what the sum is multiplied by
     * @return the sum, good until the next one on the same shard
     */
    static Update of(Shard shard, List<Update> updates, float scale) {
        List<Update> parts =
                updates.stream().filter(update -> !update.isEmpty()).toList();
        if (parts.isEmpty()) {
            return updates.get(0);
        } else if (parts.size() == 1 && scale == 1) {
            return parts.get(0);
        } else if (parts.stream().allMatch(part -> part.keys() != null)) {
            return ofRows(shard, parts, scale);
        }
        return ofAll(shard, parts, scale);
    }

    /** Over every row, in a slot of the shard: off the heap, and there for the next round. */
    private static Update ofAll(Shard shard, List<Update> parts, float scale) {
        int width = shard.width();
        FloatArray sum = shard.slot("round.sum", width);
        sum.fill(0);
        for (Update part : parts) {
            LongArray keys = part.keys();
            if (keys == null) {
                sum.addScaled(1, part.values());
                continue;
            }
            int[] rows = shard.rows(keys);
            float[] from = new float[width];
            float[] to = new float[width];
            for (int i = 0; i < rows.length; i++) {
                part.values().copyTo(i * width, from, 0, width);
                sum.copyTo(rows[i] * width, to, 0, width);
                add(to, 0, from, width);
                sum.copyFrom(rows[i] * width, to, 0, width);
            }
        }
        if (scale != 1) {
            sum.scale(scale);
        }
        return new Update(null, sum);
    }

    /** Over the rows that any update touches, each key once, in the order of their first occurrence. */
    private static Update ofRows(Shard shard, List<Update> parts, float scale) {
        int width = shard.width();
        int most = parts.stream().mapToInt(part -> part.values().length()).reduce(0, Math::addExact) / width;
        KeyTable table = new KeyTable(most);
        float[] sums = new float[most * width];
        float[] row = new float[width];
        for (Update part : parts) {
            LongArray keys = part.keys();
            for (int i = 0; keys != null && i < keys.length(); i++) {
                part.values().copyTo(i * width, row, 0, width);
                add(sums, table.index(keys.get(i)) * width, row, width);
            }
        }
        FloatArray values = FloatArray.wrap(Arrays.copyOf(sums, table.size() * width));
        if (scale != 1) {
            values.scale(scale);
        }
        return new Update(table.keys(), values);
    }

    private static void add(float[] to, int at, float[] from, int n) {
        for (int i = 0; i < n; i++) {
            to[at + i] += from[i];
        }
    }
}

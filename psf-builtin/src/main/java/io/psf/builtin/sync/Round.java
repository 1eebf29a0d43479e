package io.psf.builtin.sync;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One push of each worker: their sum so far, and who waits for the answer. The sum is of the keys that were pushed
 * while all pushes are sparse, and from the first dense one on of every row, in a slot of the shard.
 */
final class Round {
    private final Shard shard;
    private final String slot;
    /** By worker, in the order in which they came. */
    private final Map<Integer, Push<?>> pushes = new LinkedHashMap<>();

    private @Nullable RowSums some;
    private @Nullable FloatArray all;

    /**
     * An empty round.
     *
     * @param slot the shard's slot that the sum of every row may lie in
     */
    Round(Shard shard, String slot) {
        this.shard = shard;
        this.slot = slot;
    }

    boolean has(int worker) {
        return pushes.containsKey(worker);
    }

    /** In the order in which they came. */
    Collection<Push<?>> pushes() {
        return pushes.values();
    }

    /** Adds a worker's push; its update has been copied when this returns. */
    void add(int worker, Push<?> push, Update update) {
        LongArray keys = update.keys();
        if (keys == null) {
            addAll(update.values());
        } else if (all != null) {
            addRows(all, keys, update.values());
        } else if (keys.length() > 0) {
            if (some == null) {
                some = new RowSums(shard.width(), keys.length());
            }
            some.add(keys, update.values());
        }
        pushes.put(worker, push);
    }

    /** The sum of all pushes, or their mean, as one update. */
    Update total(boolean mean) {
        Update total = all != null
                ? new Update(null, all)
                : some != null
                        ? new Update(some.keys(), some.sums())
                        : new Update(LongArray.allocate(0), FloatArray.allocate(0));
        if (mean && pushes.size() > 1) {
            total.values().scale(1f / pushes.size());
        }
        return total;
    }

    private void addAll(FloatArray update) {
        if (all != null) {
            all.addScaled(1, update);
            return;
        }
        all = shard.slot(slot, shard.width());
        all.copyFrom(update);
        if (some != null) {
            addRows(all, some.keys(), some.sums());
            some = null;
        }
    }

    private void addRows(FloatArray sums, LongArray keys, FloatArray update) {
        int width = shard.width();
        int[] rows = shard.rows(keys);
        float[] from = new float[width];
        float[] to = new float[width];
        for (int i = 0; i < rows.length; i++) {
            update.copyTo(i * width, from, 0, width);
            sums.copyTo(rows[i] * width, to, 0, width);
            for (int c = 0; c < width; c++) {
                to[c] += from[c];
            }
            sums.copyFrom(rows[i] * width, to, 0, width);
        }
    }
}

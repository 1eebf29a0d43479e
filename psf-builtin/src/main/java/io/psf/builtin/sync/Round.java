package io.psf.builtin.sync;

import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One push of each worker, and the workers' answers. The pushes lie where they came, in the requests that wait for their
 * answers, until the round closes; then they are added up in the order of the workers' ranks, so that the sum does not
 * depend on which of them came first. The sum is of the keys that were pushed while all pushes are sparse, and from the
 * first dense one on of every row, in a slot of the shard.
 */
final class Round {
    private final Shard shard;
    private final String slot;
    /** By worker, in the order in which they came. */
    private final Map<Integer, Push<?>> pushes = new LinkedHashMap<>();

    /** By worker, in the order of ranks. */
    private final TreeMap<Integer, Update> updates = new TreeMap<>();

    /**
     * An empty round.
     *
     * @param slot the shard's slot that the sum of every row may lie in, until it has been applied
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

    /** Takes a worker's push; its update is borrowed until the round closes, even if its caller gives up before. */
    void add(int worker, Push<?> push, Update update) {
        pushes.put(worker, push);
        updates.put(worker, update);
    }

    /** The sum of all pushes, or their mean, as one update. */
    Update total(boolean mean) {
        float scale = mean && updates.size() > 1 ? 1f / updates.size() : 1;
        List<FloatArray> dense = new ArrayList<>();
        updates.values().stream().filter(Update::isDense).map(Update::values).forEach(dense::add);
        if (dense.size() < updates.size()) {
            Update total = dense.isEmpty() ? sparseTotal() : mixedTotal();
            if (scale != 1) {
                total.values().scale(scale);
            }
            return total;
        }
        if (dense.size() == 1) {
            return new Update(null, dense.get(0));
        }
        FloatArray sum = shard.slot(slot, shard.width());
        DenseSums.add(dense, scale, sum);
        return new Update(null, sum);
    }

    private Update sparseTotal() {
        RowSums sums = null;
        for (Update update : updates.values()) {
            sums = added(sums, update);
        }
        return sums == null
                ? new Update(LongArray.allocate(0), FloatArray.allocate(0))
                : new Update(sums.keys(), sums.sums());
    }

    private @Nullable RowSums added(@Nullable RowSums sums, Update update) {
        LongArray keys = update.keys();
        if (keys == null || keys.length() == 0) {
            return sums;
        }
        RowSums all = sums != null ? sums : new RowSums(shard.width(), keys.length());
        all.add(keys, update.values());
        return all;
    }

    private Update mixedTotal() {
        RowSums some = null;
        FloatArray all = null;
        for (Update update : updates.values()) {
            LongArray keys = update.keys();
            if (all == null && keys == null) {
                all = shard.slot(slot, shard.width());
                all.copyFrom(update.values());
                if (some != null) {
                    addRows(all, some.keys(), some.sums());
                }
            } else if (all == null) {
                some = added(some, update);
            } else if (keys == null) {
                all.addScaled(1, update.values());
            } else {
                addRows(all, keys, update.values());
            }
        }
        return new Update(null, all != null ? all : FloatArray.allocate(0));
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

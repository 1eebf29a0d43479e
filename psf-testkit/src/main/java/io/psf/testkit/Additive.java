package io.psf.testkit;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;

/** The default optimizer of a test's tensor: values += update. */
final class Additive implements Optimizer {
    @Override
    public void apply(Shard shard, FloatArray update) {
        shard.values().addScaled(1, update);
    }

    @Override
    public void apply(Shard shard, LongArray keys, FloatArray update) {
        int width = shard.width();
        int[] rows = shard.rows(keys);
        for (int i = 0; i < rows.length; i++) {
            FloatArray row = shard.values().slice(rows[i] * width, (rows[i] + 1) * width);
            row.addScaled(1, update.slice(i * width, (i + 1) * width));
        }
    }
}

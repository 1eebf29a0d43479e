package io.psf.builtin.push;

import io.psf.api.Shard;

/** The number of slices of a shard's tensor. Attached to the shards of optimizers that need sums over all slices. */
public record SliceCount(int slices) {
    /** Tells a shard the number of slices. */
    public static void set(Shard shard, int slices) {
        var unused = shard.attachment(SliceCount.class, () -> new SliceCount(slices));
    }

    static int of(Shard shard) {
        return shard.attachment(SliceCount.class, () -> {
                    throw new IllegalStateException("slices of " + shard.spec().id() + ": not set");
                })
                .slices();
    }
}

package io.psf.builtin.sparse;

import io.psf.api.Shard;
import io.psf.api.array.LongArray;

/** Checks the keys of a shard. */
public final class Rows {
    private Rows() {}

    /**
     * Checks that a shard owns all keys. Does not return their rows, since a load may renumber the rows before they are
     * used.
     *
     * @param keys [n] int64
     * @throws io.psf.api.PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own
     */
    public static void requireOwned(Shard shard, LongArray keys) {
        for (int i = 0; i < keys.length(); i++) {
            if (!shard.owns(keys.get(i))) {
                var unused = shard.find(keys.get(i)); // throws: it names the key
            }
        }
    }
}

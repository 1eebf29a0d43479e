package io.psf.gpu.shard;

import io.psf.api.array.LongArray;
import java.util.Arrays;

/** Tells whether a key is repeated among few. Used by one thread. */
final class RepeatedKeys {
    /** The most keys: with more of them, a device is faster than the hash table of the host. */
    static final int MOST = 4096;

    private static final int BITS = 14;

    /** Keys by hash, in the place of an earlier call's, with open addressing: at most a quarter is used. */
    private final long[] keys = new long[1 << BITS];
    /** The number of the call whose key an entry is, so that the table is not emptied. */
    private final int[] calls = new int[1 << BITS];

    private int call;

    /** True if one of at most {@link #MOST} keys is there twice. */
    boolean areIn(LongArray some) {
        if (++call < 0) {
            Arrays.fill(calls, 0);
            call = 1;
        }
        int mask = keys.length - 1;
        for (int i = 0; i < some.length(); i++) {
            long key = some.get(i);
            int at = (int) (key * 0x9E3779B97F4A7C15L >>> Long.SIZE - BITS);
            while (calls[at] == call) {
                if (keys[at] == key) {
                    return true;
                }
                at = (at + 1) & mask;
            }
            calls[at] = call;
            keys[at] = key;
        }
        return false;
    }
}

package io.psf.builtin.push;

import io.psf.api.array.LongArray;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The updates of a round as bytes: the number of keys, -1 for every row; the keys; the number of values; the values.
 */
final class UpdateBytes {
    private UpdateBytes() {}

    static void write(Update update, DataOutputStream out) throws IOException {
        LongArray keys = update.keys();
        out.writeInt(keys == null ? -1 : keys.length());
        for (int i = 0; keys != null && i < keys.length(); i++) {
            out.writeLong(keys.get(i));
        }
        out.writeInt(update.values().length());
        FloatBytes.write(update.values(), out);
    }

    /** Reads the keys of an update; null for every row. */
    static @Nullable LongArray readKeys(DataInputStream in) throws IOException {
        int n = in.readInt();
        if (n < 0) {
            return null;
        }
        long[] keys = new long[Math.min(n, 1 << 10)];
        for (int i = 0; i < n; i++) {
            keys = i == keys.length ? Arrays.copyOf(keys, (int) Math.min(n, 2L * i)) : keys;
            keys[i] = in.readLong();
        }
        return LongArray.wrap(keys);
    }
}

package io.psf.builtin.internal.checkpoint;

import io.psf.api.TensorLayout;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageInput;
import java.io.IOException;
import java.util.Arrays;

/**
 * The keys of an image of a growing table, in memory: 14 bytes for each. A hash table with linear probing, of which a
 * third is free. Immutable after {@link #read}.
 */
final class ImageKeys {
    /** The place of a key that the image does not name. */
    static final int ABSENT = -1;
    /** The place of a key that the image lists as removed. */
    static final int REMOVED = -2;

    private final int rows;
    private final long[] keys;
    /** [places of the hash table], the index of a key in {@link #keys}, or {@link #ABSENT}. */
    private final int[] table;

    private ImageKeys(int rows, int count) {
        this.rows = rows;
        this.keys = new long[count];
        this.table = new int[Math.toIntExact(count + count / 2L + 1)];
        Arrays.fill(table, ABSENT);
    }

    /** Reads the keys of the rows and the removed keys, at which the input stands. */
    static ImageKeys read(ImageHeader header, ImageInput in) throws IOException {
        ImageKeys all = new ImageKeys(
                Math.toIntExact(header.rows()),
                Math.toIntExact(header.rows() + header.form().removed()));
        for (int i = 0; i < all.keys.length; i++) {
            all.keys[i] = in.i64();
            int slot = all.slot(all.keys[i]);
            if (all.table[slot] == ABSENT) {
                all.table[slot] = i;
            }
        }
        return all;
    }

    /** Returns the slot of the hash table that has a key, or the free one where it would be. */
    private int slot(long key) {
        int slot = (int) Math.floorMod(TensorLayout.hash(key), (long) table.length);
        while (table[slot] != ABSENT && keys[table[slot]] != key) {
            slot = slot + 1 == table.length ? 0 : slot + 1;
        }
        return slot;
    }

    /** Returns the place of a key's row in the image, {@link #ABSENT} or {@link #REMOVED}. */
    int place(long key) {
        int index = table[slot(key)];
        return index >= rows ? REMOVED : index;
    }
}

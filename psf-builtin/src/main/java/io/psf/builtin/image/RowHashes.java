package io.psf.builtin.image;

import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Hashes of the rows of a shard: of all that a checkpoint saves of a row. Two contents that differ in one element only
 * have different hashes; any other two have equal ones with a probability of about 2^-64. A row of zeros in a slot adds
 * nothing, so a slot that is created later changes the hashes of the rows that it is used for alone. Not thread-safe.
 */
public final class RowHashes {
    private static final long FACTOR = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio, odd
    private static final long LAST = 0xd6e8_feb8_6659_fd93L; // odd, of no structure

    private final long[] hashes;
    private float[] tile = new float[0];

    private RowHashes(int rows) {
        this.hashes = new long[rows];
    }

    /**
     * Computes the hashes of all rows.
     *
     * @param header the header, whose slots and attachments count
     * @return [rows] int64
     */
    public static long[] of(StoredShard shard, ImageHeader header) throws IOException {
        RowHashes all = new RowHashes(shard.rows());
        all.add(shard.storedValues(), 0);
        for (ImageHeader.Slot slot : header.slots()) {
            all.add(shard.storedSlot(slot.name(), slot.width()), of(slot.name()));
        }
        for (String attachment : header.attachments()) {
            long seed = of(attachment);
            shard.attachments().save(attachment, entry -> {
                int row = entry.total() ? -1 : shard.find(entry.key());
                if (row >= 0) {
                    all.hashes[row] ^= of(entry.bytes(), seed);
                }
            });
        }
        return all.hashes;
    }

    /**
     * Adds a column.
     *
     * @param seed 0 for the values; other numbers for slots
     */
    private void add(StoredColumn column, long seed) {
        int width = column.width();
        int most = ImageTile.rows(width);
        for (int row = 0; row < hashes.length; row += most) {
            int n = Math.min(most, hashes.length - row);
            if (tile.length < n * width) {
                tile = new float[n * width];
            }
            column.read(row, n).copyTo(0, tile, 0, n * width);
            for (int i = 0; i < n; i++) {
                hashes[row + i] ^= of(tile, i * width, (i + 1) * width, seed);
            }
        }
    }

    private static long of(float[] values, int begin, int end, long seed) {
        long hash = seed;
        long any = 0;
        int at = begin;
        for (; at + 1 < end; at += 2) {
            long both = (long) Float.floatToRawIntBits(values[at]) << Integer.SIZE
                    | Integer.toUnsignedLong(Float.floatToRawIntBits(values[at + 1]));
            any |= both;
            hash = next(hash, both);
        }
        if (at < end) {
            long one = Integer.toUnsignedLong(Float.floatToRawIntBits(values[at]));
            any |= one;
            hash = next(hash, one);
        }
        return any == 0 ? 0 : last(hash);
    }

    private static long of(String name) {
        return of(name.getBytes(StandardCharsets.UTF_8), 0);
    }

    private static long of(byte[] bytes, long seed) {
        long hash = next(seed, bytes.length);
        for (byte each : bytes) {
            hash = next(hash, each);
        }
        return last(hash);
    }

    /** A bijection of the hash for each element, and of the element for each hash. */
    private static long next(long hash, long element) {
        long product = (hash ^ element) * FACTOR;
        return product ^ product >>> 32;
    }

    private static long last(long hash) {
        long product = (hash ^ hash >>> 29) * LAST;
        return product ^ product >>> 32;
    }
}

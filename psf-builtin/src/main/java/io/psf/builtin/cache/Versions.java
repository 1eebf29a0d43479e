package io.psf.builtin.cache;

import io.psf.api.Checkpointed;
import io.psf.api.Measured;
import io.psf.api.PsException;
import io.psf.api.RowListener;
import io.psf.api.Shard;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredShard;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * The version of each row of a shard: the number of updates that caches have pushed to it, from 0. Attached to the
 * shard, used on its lane only, saved and loaded with it.
 *
 * <p>A row that is removed and created again has other values than a cache may still hold under the old version. So
 * rows that are created after a removal start with a version that is 2^32 above the removed row's version. That is more
 * than any bound that stands for a number of updates.
 */
final class Versions implements Checkpointed, Measured, RowListener {
    /** The version that a cache sends for a row that it does not have. */
    private static final long NONE = -1;

    private static final int MOST_ROWS = Integer.MAX_VALUE - 8;

    /** More updates than any reasonable bound. */
    private static final long GAP = 1L << 32;

    private final Shard shard;
    private long[] versions = {};
    /** The number of rows whose version is in the array. */
    private int known;

    /** The keys and versions that were loaded and are not stored by row yet. */
    private long[] loadedKeys = {};

    private long[] loadedVersions = {};
    private int loaded;

    /** The version of newly created rows, and of keys without a row. */
    private long first;

    private Versions(Shard shard) {
        this.shard = shard;
        this.first = ofAll(shard);
    }

    /**
     * Returns the versions of a shard's current rows. For a growing table, call this after the rows have been created.
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the memory of the server's tensors does not suffice
     */
    static Versions of(Shard shard) {
        return shard.attachment(Versions.class, () -> new Versions(shard)).ofRows();
    }

    /** Returns the versions of a shard's current rows; empty if no cache has pushed to it: each is {@link #ofAll}. */
    static Optional<Versions> find(Shard shard) {
        return shard.findAttachment(Versions.class, () -> new Versions(shard)).map(Versions::ofRows);
    }

    /**
     * Returns the version of all rows of a shard that no cache has pushed to: it differs after each removal of rows.
     */
    static long ofAll(Shard shard) {
        return shard instanceof StoredShard stored ? GAP * (stored.removals() & Integer.MAX_VALUE) : 0;
    }

    private Versions ofRows() {
        storeLoaded();
        growTo(shard.rows());
        return this;
    }

    @Override
    public long bytes() {
        return (long) Long.BYTES * (versions.length + loadedKeys.length + loadedVersions.length);
    }

    private void growTo(int rows) {
        if (rows > versions.length) {
            int length = Math.max(rows, (int) Math.min(MOST_ROWS, 2L * versions.length));
            if (shard instanceof StoredShard stored) {
                stored.countAttachments((long) Long.BYTES * (length - versions.length));
            }
            versions = Arrays.copyOf(versions, length);
        }
        if (rows > known) {
            Arrays.fill(versions, known, rows, first);
            known = rows;
        }
    }

    @Override
    public void rowRemoved(long key, int row, int last) {
        growTo(last + 1);
        first = Math.max(first, versions[row] + GAP);
        versions[row] = versions[last];
        known = last;
    }

    @Override
    public void rowsRemoved() {
        for (int row = 0; row < known; row++) {
            first = Math.max(first, versions[row] + GAP);
        }
        known = 0;
    }

    @Override
    public boolean tellsChanges() {
        return true;
    }

    @Override
    public void saveRow(long key, DataOutput out) throws IOException {
        int row = shard.row(key);
        growTo(row + 1);
        long version = versions[row];
        if (version != 0) {
            out.writeLong(version);
        }
    }

    @Override
    public void loadRow(long key, DataInput in) throws IOException {
        if (loaded == loadedKeys.length) {
            loadedKeys = Arrays.copyOf(loadedKeys, Math.max(64, 2 * loaded));
            loadedVersions = Arrays.copyOf(loadedVersions, loadedKeys.length);
        }
        loadedKeys[loaded] = key;
        loadedVersions[loaded++] = in.readLong();
    }

    /** Stores the loaded versions: the rows of their keys are found together, which is faster on a device. */
    private void storeLoaded() {
        if (loaded == 0) {
            return;
        }
        int[] rows = new int[loaded];
        var unused = shard.find(LongArray.wrap(loadedKeys, 0, loaded), rows);
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] >= 0) {
                growTo(rows[i] + 1);
                versions[rows[i]] = loadedVersions[i];
                first = Math.max(first, loadedVersions[i] & -GAP); // the totals of the other shards raise it further
            }
        }
        loaded = 0;
        loadedKeys = new long[0];
        loadedVersions = new long[0];
    }

    @Override
    public void saveTotal(DataOutput out) throws IOException {
        if (first != 0) {
            out.writeLong(first);
        }
    }

    @Override
    public void loadTotal(DataInput in) throws IOException {
        storeLoaded();
        first = Math.max(first, in.readLong());
    }

    /** Returns the version of a local row, or, for -1, of a key without a row. */
    long get(int row) {
        return row < 0 ? first : versions[row];
    }

    /**
     * Checks the counts of a push.
     *
     * @param updates [n] int32, the number of updates that a row's gradient stands for
     * @throws PsException with {@code BAD_REQUEST} unless each is at least 0
     */
    static void requireCounts(int keys, IntArray updates) {
        requireLength("updates", updates.length(), keys);
        for (int i = 0; i < keys; i++) {
            require(updates.get(i) >= 0, "updates of a row", updates.get(i), ">= 0");
        }
    }

    /**
     * Checks the versions that a cache sends.
     *
     * @param cached [n] int64, the cached version of each row, -1 for a row that is not cached
     * @throws PsException with {@code BAD_REQUEST} if the bound is negative or a version is below -1
     */
    static void requireCached(int keys, LongArray cached, long bound) {
        requireLength("versions", cached.length(), keys);
        require(bound >= 0, "bound", bound, ">= 0 updates");
        for (int i = 0; i < keys; i++) {
            require(cached.get(i) >= NONE, "version of a row", cached.get(i), ">= 0, or -1 if it is not cached");
        }
    }

    /** Adds updates to the versions of those keys that have a row: the table's policy may have made none. */
    void add(LongArray keys, IntArray updates) {
        int[] rows = new int[keys.length()];
        var unused = shard.find(keys, rows);
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] >= 0) {
                versions[rows[i]] += updates.get(i);
                shard.changed(rows[i]);
            }
        }
    }

    /**
     * Finds the stale rows: the rows that the cache does not have, and the rows that are more than {@code bound}
     * updates behind. A cached row that is ahead of the shard is stale, too: the table has been recreated or loaded
     * since.
     *
     * @param rows [n], local rows, -1 for a key without a row
     * @param versions the version of a row, and of -1
     * @param cached [n] int64, the cached version of each row, -1 for a row that is not cached
     * @param bound the number of updates that a row may be behind
     * @return [m], indices into {@code rows}, in the order of the rows; keys without a row last
     */
    static int[] stale(int[] rows, IntToLongFunction versions, LongArray cached, long bound) {
        long[] stale = new long[rows.length]; // high half: the row, unsigned; low half: its index
        int n = 0;
        for (int i = 0; i < rows.length; i++) {
            long version = cached.get(i);
            long behind = versions.applyAsLong(rows[i]) - version;
            if (version == NONE || behind > bound || behind < 0) {
                stale[n++] = (rows[i] & 0x7fff_ffffL) << Integer.SIZE | i;
            }
        }
        Arrays.sort(stale, 0, n);
        int[] which = new int[n];
        for (int i = 0; i < n; i++) {
            which[i] = (int) stale[i];
        }
        return which;
    }

    private static void requireLength(String name, int actual, int keys) {
        require(actual == keys, name + " length", actual, keys + ", one for each key");
    }

    private static void require(boolean holds, String name, long actual, String expected) {
        if (!holds) {
            throw new PsException(PsException.Code.BAD_REQUEST, name + ": " + actual + " (expected: " + expected + ")");
        }
    }
}

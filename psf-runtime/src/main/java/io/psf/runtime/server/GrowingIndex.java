package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TensorLayout;
import io.psf.runtime.store.Abandoned;
import io.psf.runtime.store.Store;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The rows of whatever keys have come, in the order in which they came. An open-addressed table off the heap has for each
 * row 32 bits of its key's hash and its number; the keys themselves lie row by row. A table that is three quarters full is
 * doubled, which reads no keys: its places are the upper of those bits, so that all entries are copied in their order.
 */
final class GrowingIndex implements RowIndex {
    /** Entries of the first table. */
    private static final int LEAST = 1 << 10;

    /** Entries of the largest table: its bytes are those of the largest buffer. */
    private static final int MOST = 1 << 27;

    /** The most rows that one index has. */
    static final int MOST_ROWS = MOST / 4 * 3;

    private final String name;
    private final Range places;
    private final Store store;
    private final ByteBuffer keys;
    /** How many rows there is room for. */
    private int most;

    /** Of each entry the hash's 32 bits, and below them one more than the row; 0 where there is none. */
    private ByteBuffer table;

    private final int[] hashTile = new int[TILE];
    private final long[] entryTile = new long[TILE];
    private final long[] keyTile = new long[TILE];

    private int shift;
    private int rows;

    /**
     * No rows yet.
     *
     * @param name whose rows these are
     * @param places where the keys stand that belong here ({@link TensorLayout#position})
     * @param most how many rows there is room for, at most {@link #MOST_ROWS}
     */
    GrowingIndex(String name, Range places, Store store, int most) {
        this.name = name;
        this.places = places;
        this.store = store;
        this.keys = store.reserve(name + ".keys", most * Long.BYTES);
        this.most = Math.min(most, keys.capacity() / Long.BYTES);
        this.table = newTable(LEAST);
    }

    private ByteBuffer newTable(int entries) {
        ByteBuffer zeros = store.allocate(name + ".index." + entries, entries * Long.BYTES);
        shift = Integer.SIZE - Integer.numberOfTrailingZeros(entries);
        return zeros;
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public long key(int row) {
        return keys.getLong(Objects.checkIndex(row, rows) * Long.BYTES);
    }

    /**
     * No more rows than that are made from now on.
     *
     * @param whose what has no more room
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if there are more already
     */
    void limit(int room, String whose) {
        if (rows > room) {
            throw tooMany(whose, rows, room);
        }
        most = Math.min(most, room);
    }

    private static PsException tooMany(String whose, long rows, int room) {
        return new PsException(
                PsException.Code.RESOURCE_EXHAUSTED,
                "rows of " + whose + ": " + rows + " (expected: at most " + room + "; use more slices)");
    }

    /** Forgets all rows. */
    void clear() {
        rows = 0;
        replaceTable(newTable(LEAST));
    }

    private void replaceTable(ByteBuffer by) {
        int bytes = table.capacity();
        table = by;
        Abandoned.add(bytes);
    }

    /** Each pass reads at places that do not depend on each other, so that the processor need not wait for each. */
    @Override
    public void rows(long[] some, int n, int[] into, int at) {
        findHomes(some, n);
        int before = rows;
        for (int i = 0; i < n; i++) {
            int row = Math.max(0, (int) entryTile[i] - 1);
            into[at + i] = row;
            keyTile[i] = keys.getLong(row * Long.BYTES);
        }
        for (int i = 0; i < n; i++) {
            long key = some[i];
            if (keyTile[i] != key || before == 0) { // not at home, or nobody is
                into[at + i] = row(key, hashTile[i]);
            }
        }
    }

    /** Reads the entry where each key would stand if no other were in its place. */
    private void findHomes(long[] some, int n) {
        long wrong = 0;
        for (int i = 0; i < n; i++) {
            long hash = Routing.hash(some[i]);
            long place = TensorLayout.position(hash);
            wrong |= (place - places.begin()) | (places.end() - 1 - place); // negative if one is outside
            hashTile[i] = (int) hash;
            entryTile[i] = table.getLong(((int) hash >>> shift) * Long.BYTES);
        }
        for (int i = 0; wrong < 0 && i < n; i++) {
            if (!places.contains(TensorLayout.position(Routing.hash(some[i])))) {
                throw new PsException(
                        PsException.Code.OUT_OF_RANGE,
                        "key: " + some[i] + " (expected: one whose place, by its hash, is in " + places + ")");
            }
        }
    }

    private int row(long key, int hash) {
        int mask = table.capacity() - 1;
        int at = (hash >>> shift) * Long.BYTES;
        for (long entry = table.getLong(at); entry != 0; entry = table.getLong(at)) {
            int row = (int) entry - 1;
            if ((int) (entry >>> Integer.SIZE) == hash && keys.getLong(row * Long.BYTES) == key) {
                return row;
            }
            at = (at + Long.BYTES) & mask;
        }
        return make(key, hash, at);
    }

    /**
     * Makes a row.
     *
     * @param at where its entry comes to, unless the table is full
     */
    private int make(long key, int hash, int at) {
        if (rows == most) {
            throw tooMany(name, rows + 1L, most);
        }
        int free = at;
        if (rows >= table.capacity() / Long.BYTES / 4 * 3) {
            grow();
            free = free(table, (hash >>> shift) * Long.BYTES);
        }
        keys.putLong(rows * Long.BYTES, key);
        table.putLong(free, entry(hash, ++rows));
        return rows - 1;
    }

    private static long entry(int hash, int number) {
        return ((long) hash << Integer.SIZE) | number;
    }

    private void grow() {
        ByteBuffer old = table;
        ByteBuffer twice = newTable(old.capacity() / Long.BYTES * 2);
        for (int at = 0; at < old.capacity(); at += Long.BYTES) {
            long entry = old.getLong(at);
            if (entry != 0) {
                twice.putLong(free(twice, (int) (entry >>> Integer.SIZE) >>> shift << 3), entry);
            }
        }
        replaceTable(twice);
    }

    private static int free(ByteBuffer table, int from) {
        int at = from;
        while (table.getLong(at) != 0) {
            at = (at + Long.BYTES) & (table.capacity() - 1);
        }
        return at;
    }
}

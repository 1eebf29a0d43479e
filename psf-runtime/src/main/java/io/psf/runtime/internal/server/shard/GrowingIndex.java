package io.psf.runtime.internal.server.shard;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorLayout;
import io.psf.runtime.spi.store.Allocation;
import io.psf.runtime.spi.store.Reservation;
import io.psf.runtime.spi.store.Store;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.IntUnaryOperator;

/**
 * The rows of arbitrary keys, in the order of their first use. An open-addressed off-heap table has, per row, 32 bits
 * of its key's hash and the row's number. The keys themselves are stored row by row. A table that is three quarters
 * full is doubled. Doubling reads no keys: a key's position in the table is the upper part of those 32 bits, so all
 * entries are copied in table order.
 */
final class GrowingIndex implements RowIndex {
    /** Entries of the first table. */
    private static final int LEAST = 1 << 10;

    /** Entries of the largest table: it has the bytes of the largest buffer. */
    private static final int MOST = 1 << 27;

    /** The maximum number of rows of one index. */
    static final int MOST_ROWS = MOST / 4 * 3;

    private final String name;
    private final Range places;
    private final Store store;
    private final Reservation keyMemory;
    private final ByteBuffer keys;
    private final IntUnaryOperator takeColumns;
    /** The capacity in rows. */
    private int most;

    /** The number of rows that have memory. */
    private int taken;

    /** Per entry the hash's 32 bits, and in the lower half the row plus one; 0 for an empty entry. */
    private ByteBuffer table;

    /** The memory of the table. */
    private Allocation tableMemory;

    private final int[] hashTile = new int[TILE];
    private final long[] entryTile = new long[TILE];
    private final long[] keyTile = new long[TILE];

    private int shift;
    private int rows;

    /**
     * Creates an index without rows.
     *
     * @param name the owner of the rows, for messages and for the store
     * @param places the range of key positions of this shard ({@link TensorLayout#position})
     * @param most the capacity in rows, at most {@link #MOST_ROWS}
     * @param takeColumns takes memory for a number of rows in all columns, before the rows are created; returns the
     *     number of rows that have memory
     */
    GrowingIndex(String name, Range places, Store store, int most, IntUnaryOperator takeColumns) {
        this.name = name;
        this.places = places;
        this.store = store;
        this.keyMemory = store.reserve(name + ".keys", most * Long.BYTES);
        this.keys = keyMemory.bytes();
        keyMemory.take(Long.BYTES); // the first key is read before there is any row
        this.takeColumns = takeColumns;
        this.most = Math.min(most, keys.capacity() / Long.BYTES);
        this.tableMemory = newTable(LEAST);
        this.table = tableMemory.bytes();
    }

    private Allocation newTable(int entries) {
        Allocation zeros = store.allocate(name + ".index." + entries, entries * Long.BYTES);
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
     * Reduces the capacity in rows.
     *
     * @param capacity the new capacity in rows
     * @param whose the object that limits the capacity, for messages
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if there are more rows already
     */
    void limit(int capacity, String whose) {
        if (rows > capacity) {
            throw tooMany(whose, rows, capacity);
        }
        most = Math.min(most, capacity);
        taken = rows; // new columns may have less memory: it is taken with the next row
    }

    /** Returns the capacity in rows. */
    int most() {
        return most;
    }

    /** Returns the bytes of the keys and of the table. */
    long bytes() {
        return (long) rows * Long.BYTES + table.capacity();
    }

    private static PsException tooMany(String whose, long rows, int capacity) {
        return new PsException(
                PsException.Code.RESOURCE_EXHAUSTED,
                "rows of " + whose + ": " + rows + " (expected: at most " + capacity + "; use more slices)");
    }

    /** Removes all rows. */
    void clear() {
        rows = 0;
        replaceTable(newTable(LEAST));
    }

    private void replaceTable(Allocation by) {
        Allocation before = tableMemory;
        tableMemory = by;
        table = by.bytes();
        before.giveUp(before.bytes().capacity());
    }

    /** Gives the memory up. */
    void giveUp() {
        keyMemory.giveUp((long) rows * Long.BYTES);
        tableMemory.giveUp(table.capacity());
    }

    @Override
    public void rows(long[] some, int n, int[] into, int at) {
        if (find(some, n, into, at) < n) {
            for (int i = 0; i < n; i++) {
                if (into[at + i] < 0) {
                    into[at + i] = row(some[i], hashTile[i]);
                }
            }
        }
    }

    /**
     * Hashes keys.
     *
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own
     */
    private void hash(long[] some, int n) {
        long wrong = 0;
        for (int i = 0; i < n; i++) {
            long hash = TensorLayout.hash(some[i]);
            long place = TensorLayout.position(hash);
            wrong |= (place - places.begin()) | (places.end() - 1 - place); // negative if a key is outside
            hashTile[i] = (int) hash;
        }
        for (int i = 0; wrong < 0 && i < n; i++) {
            if (!places.contains(TensorLayout.position(TensorLayout.hash(some[i])))) {
                throw new PsException(
                        PsException.Code.OUT_OF_RANGE,
                        "key: " + some[i] + " (expected: a key whose hash is in " + places + ")");
            }
        }
    }

    private int row(long key, int hash) {
        int at = place(key, hash);
        long entry = table.getLong(at);
        return entry == 0 ? make(key, hash, at) : (int) entry - 1;
    }

    /** Returns the byte offset of a key's entry in the table, or of the free entry where it would be inserted. */
    private int place(long key, int hash) {
        int mask = table.capacity() - 1;
        int at = (hash >>> shift) * Long.BYTES;
        for (long entry = table.getLong(at); entry != 0; entry = table.getLong(at)) {
            if ((int) (entry >>> Integer.SIZE) == hash && keys.getLong(((int) entry - 1) * Long.BYTES) == key) {
                return at;
            }
            at = (at + Long.BYTES) & mask;
        }
        return at;
    }

    /**
     * {@inheritDoc} Each pass reads addresses that do not depend on each other, with few instructions for each, so that
     * the processor overlaps the cache misses: first each key's home entry, where the key is if no other key occupies
     * it. The entry of a key is found by the hash, and its row's key is read once.
     */
    @Override
    public int find(long[] some, int n, int[] into, int at) {
        hash(some, n);
        for (int i = 0; i < n; i++) {
            entryTile[i] = table.getLong((hashTile[i] >>> shift) * Long.BYTES);
        }
        for (int i = 0; i < n; i++) {
            into[at + i] = (int) entry(entryTile[i], hashTile[i]) - 1;
        }
        for (int i = 0; i < n; i++) {
            keyTile[i] = keys.getLong(Math.max(0, into[at + i]) * Long.BYTES);
        }
        int found = n;
        for (int i = 0; i < n; i++) {
            int row = into[at + i];
            if (row >= 0 && keyTile[i] != some[i]) { // another key has this hash, too
                row = (int) table.getLong(place(some[i], hashTile[i])) - 1;
                into[at + i] = row;
            }
            found += row >> (Integer.SIZE - 1); // -1 if there is none
        }
        return found;
    }

    /** Returns the first entry of a hash, from its home entry on; 0 if there is none. */
    private long entry(long home, int hash) {
        long entry = home;
        int mask = table.capacity() - 1;
        int at = (hash >>> shift) * Long.BYTES;
        while (entry != 0 && (int) (entry >>> Integer.SIZE) != hash) {
            at = (at + Long.BYTES) & mask;
            entry = table.getLong(at);
        }
        return entry;
    }

    /**
     * Removes the row of a key. The last row takes its number.
     *
     * @return the number that the row had; -1 if the key has no row
     */
    int remove(long key) {
        int hash = (int) TensorLayout.hash(key);
        int at = place(key, hash);
        int row = (int) table.getLong(at) - 1;
        if (row < 0) {
            return -1;
        }
        int last = rows - 1;
        if (row != last) {
            long moved = keys.getLong(last * Long.BYTES);
            int hashOfMoved = (int) TensorLayout.hash(moved);
            table.putLong(place(moved, hashOfMoved), entryOf(hashOfMoved, row + 1));
            keys.putLong(row * Long.BYTES, moved);
        }
        rows = last;
        closeGap(at);
        return row;
    }

    /**
     * Closes a gap: moves entries behind the gap into it, as long as that does not move them before their home entry. A
     * search for an entry starts at its home entry and ends at the first gap (Knuth, The Art of Computer Programming 3,
     * 6.4, algorithm R).
     */
    private void closeGap(int at) {
        int mask = table.capacity() - 1;
        int gap = at;
        int next = (at + Long.BYTES) & mask;
        for (long entry = table.getLong(next); entry != 0; entry = table.getLong(next)) {
            int home = ((int) (entry >>> Integer.SIZE) >>> shift) * Long.BYTES;
            if (((next - home) & mask) >= ((next - gap) & mask)) {
                table.putLong(gap, entry);
                gap = next;
            }
            next = (next + Long.BYTES) & mask;
        }
        table.putLong(gap, 0);
    }

    /**
     * Creates a row.
     *
     * @param at the byte offset of its entry, unless the table is full
     */
    private int make(long key, int hash, int at) {
        if (rows == most) {
            throw tooMany(name, rows + 1L, most);
        }
        if (rows == taken) {
            take();
        }
        int free = at;
        if (rows >= table.capacity() / Long.BYTES / 4 * 3) {
            grow();
            free = free(table, (hash >>> shift) * Long.BYTES);
        }
        keys.putLong(rows * Long.BYTES, key);
        table.putLong(free, entryOf(hash, ++rows));
        return rows - 1;
    }

    /** Takes memory for at least one more row. If this fails, the row is not created. */
    private void take() {
        int columns = takeColumns.applyAsInt(rows + 1);
        taken = Math.min(keyMemory.take((rows + 1) * Long.BYTES) / Long.BYTES, columns);
    }

    private static long entryOf(int hash, int number) {
        return ((long) hash << Integer.SIZE) | number;
    }

    private void grow() {
        ByteBuffer old = table;
        Allocation larger = newTable(old.capacity() / Long.BYTES * 2);
        ByteBuffer twice = larger.bytes();
        for (int at = 0; at < old.capacity(); at += Long.BYTES) {
            long entry = old.getLong(at);
            if (entry != 0) {
                twice.putLong(free(twice, (int) (entry >>> Integer.SIZE) >>> shift << 3), entry);
            }
        }
        replaceTable(larger);
    }

    private static int free(ByteBuffer table, int from) {
        int at = from;
        while (table.getLong(at) != 0) {
            at = (at + Long.BYTES) & (table.capacity() - 1);
        }
        return at;
    }
}

package io.psf.runtime.internal.server.shard;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.ShardBytes;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import io.psf.api.spi.StoredColumn;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a shard, off the heap: the index of their keys, their values and slots. Belongs to the shard's lane.
 */
final class ShardRows {
    private final TensorInfo tensor;
    private final int slice;
    private final Range range;
    private final Store store;
    private final Node.Fill fill;
    private final RowWrites writes = new RowWrites();
    private final Column values;
    private final RowIndex index;
    /** The index of a table that grows; null for any other. */
    private final @Nullable GrowingIndex growing;

    /** Empty until the first is asked for. */
    private Map<String, Column> slots = Map.of();
    /** The bytes of attachments that are counted. */
    private long attached;

    /** Told of each row that is removed. */
    @FunctionalInterface
    public interface Removal {
        /**
         * A row has been removed.
         *
         * @param row its number, which the row of number {@code last} has now
         */
        void removed(long key, int row, int last);
    }

    /** The rows of a range of keys, which are zero, or of a growing table without rows. */
    ShardRows(Slice slice, Store store) {
        this.tensor = slice.tensor();
        this.slice = slice.slice();
        this.range = slice.range();
        this.store = store;
        this.fill = slice.fill();
        this.values = column("values", tensor.width(), tensor.types());
        this.growing = tensor.grows() ? new GrowingIndex(name(), range, store, values.rows(), this::take) : null;
        this.index = growing != null ? growing : new RangeIndex(range);
    }

    private String name() {
        return tensor.id() + "." + slice;
    }

    private Column column(String of, int width, FloatTypes types) {
        String whose = name() + "." + of;
        return tensor.grows()
                ? Column.growing(store, whose, width, types, writes)
                : Column.fixed(store, whose, range.length(), width, types, writes);
    }

    /** The rows that are written to. */
    RowWrites writes() {
        return writes;
    }

    /** Takes memory for rows that are to be made. Returns the number of rows that memory has been taken for. */
    private int take(int rows) {
        int least = values.take(rows);
        for (Column slot : slots.values()) {
            least = Math.min(least, slot.take(rows));
        }
        return least;
    }

    /** Counts the attachments of the shard, which take some bytes in all, as memory of tensors. */
    void countAttachments(long bytes) {
        if (bytes > attached) {
            store.promise(name() + ".attachments", bytes - attached);
        } else {
            store.endPromise(attached - bytes);
        }
        attached = bytes;
    }

    public Range range() {
        return range;
    }

    /** Gives the memory up: the shard is dropped. Views of it stay valid. */
    public void giveUp() {
        countAttachments(0);
        values.giveUp(count());
        slots.values().forEach(slot -> slot.giveUp(count()));
        if (growing != null) {
            growing.giveUp();
        }
    }

    public int count() {
        return index.rows();
    }

    /** The capacity in rows. */
    public int most() {
        return growing != null ? growing.most() : index.rows();
    }

    /** Returns the memory that the rows occupy, with the memory of attachments. */
    public ShardBytes bytes(long attachments) {
        long rows = count();
        long ofSlots = 0;
        for (Column slot : slots.values()) {
            ofSlots += slot.bytesOfRow();
        }
        long inIndex = growing == null ? 0 : growing.bytes();
        return new ShardBytes(rows * values.bytesOfRow(), rows * ofSlots, inIndex, attachments);
    }

    public long key(int row) {
        return index.key(row);
    }

    /** [rows, width] float32: a view. */
    public FloatArray values() {
        return values.of(count());
    }

    /** The row of a key; -1 if it has none. */
    public int find(long key) {
        Tile tile = Tile.here();
        tile.keys[0] = key;
        index.find(tile.keys, 1, tile.rows, 0);
        return tile.rows[0];
    }

    /**
     * Finds the rows of keys.
     *
     * @param into [at least n], filled; -1 for a key that has no row
     * @return the number of keys that have a row
     */
    public int find(LongArray keys, int[] into) {
        Tile tile = Tile.here();
        int found = 0;
        for (int at = 0; at < keys.length(); at += RowIndex.TILE) {
            int n = load(tile, keys, at);
            found += index.find(tile.keys, n, into, at);
        }
        return found;
    }

    private static int load(Tile tile, LongArray keys, int at) {
        int n = Math.min(RowIndex.TILE, keys.length() - at);
        keys.copyTo(at, tile.keys, 0, n);
        return n;
    }

    /**
     * The row of a key.
     *
     * @param mayMake true if a growing table makes the row of a key that has none
     */
    public int row(long key, boolean mayMake) {
        Tile tile = Tile.here();
        tile.keys[0] = key;
        rows(tile, 1, tile.rows, 0, mayMake);
        load(tile.rows, 1);
        return tile.rows[0];
    }

    /**
     * The rows of keys.
     *
     * @param into [at least n], filled
     * @param mayMake true if a growing table makes the rows of keys that have none
     */
    public void rows(LongArray keys, int[] into, boolean mayMake) {
        Tile tile = Tile.here();
        for (int at = 0; at < keys.length(); at += RowIndex.TILE) {
            int n = load(tile, keys, at);
            rows(tile, n, into, at, mayMake);
        }
        values.load(into, 0, keys.length());
        if (!slots.isEmpty()) {
            slots.values().forEach(slot -> slot.load(into, 0, keys.length()));
        }
    }

    /**
     * Brings the values of rows into memory before they are read.
     *
     * @param some [at least n], the numbers of the rows
     */
    public void load(int[] some, int n) {
        values.load(some, 0, n);
    }

    /** The rows of the keys in the tile; new ones get their first values. */
    private void rows(Tile tile, int n, int[] into, int at, boolean mayMake) {
        if (growing != null && !mayMake) {
            existingRows(tile, n, into, at);
            return;
        }
        int before = index.rows();
        try {
            index.rows(tile.keys, n, into, at);
        } finally {
            if (index.rows() > before) { // even if there was no memory for all of them
                begin(before, index.rows());
            }
        }
    }

    /** The rows of the keys in the tile, each of which has one. */
    private void existingRows(Tile tile, int n, int[] into, int at) {
        if (index.find(tile.keys, n, into, at) < n) {
            int missing = 0;
            while (into[at + missing] >= 0) {
                missing++;
            }
            throw new PsException(
                    PsException.Code.OUT_OF_RANGE,
                    "key: " + tile.keys[missing] + " (expected: a key that has a row: the function is readOnly, and"
                            + " creates no rows; Shard.find tells which keys have one)");
        }
    }

    private void begin(int first, int end) {
        writes.mark(first, end);
        values.clear(first, end);
        slots.values().forEach(slot -> slot.clear(first, end));
        FloatArray all = values().nearest();
        int width = tensor.width();
        for (int row = first; row < end; row++) {
            fill.fillRow(index.key(row), all.slice(row * width, (row + 1) * width));
        }
    }

    /**
     * Copies the values of keys. A key without a row has the values that its row would begin with; none is made.
     *
     * @param into [n, width] float32, filled
     */
    public void gather(LongArray keys, FloatArray into) {
        Tile tile = Tile.here();
        int width = tensor.width();
        for (int at = 0; at < keys.length(); at += RowIndex.TILE) {
            int n = load(tile, keys, at);
            FloatArray part = into.slice(at * width, (at + n) * width);
            int found = index.find(tile.keys, n, tile.rows, 0);
            load(tile.rows, n);
            if (found == n) {
                part.gather(values(), tile.rows, 0, n, width);
            } else {
                gatherOrBegin(tile, part, n);
            }
        }
    }

    /**
     * The values of the rows of the keys in the tile; of keys without one, the values that their row would begin with.
     */
    private void gatherOrBegin(Tile tile, FloatArray into, int n) {
        int width = tensor.width();
        into.fill(0);
        for (int i = 0; i < n; i++) {
            if (tile.rows[i] >= 0) {
                into.copyRows(i, values(), tile.rows[i], 1, width);
            } else {
                fill.fillRow(tile.keys[i], into.slice(i * width, (i + 1) * width));
            }
        }
    }

    /** Removes all rows of a growing table. */
    public void clear() {
        writes.end();
        growing().clear();
    }

    /**
     * Removes rows of a growing table by their keys. The last row takes the number of each row that is removed.
     *
     * @return the number of rows that were removed
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own; then none is
     *     removed
     */
    public int remove(LongArray keys, Removal removal) {
        GrowingIndex index = growing();
        Tile tile = Tile.here();
        for (int at = 0; at < keys.length(); at += RowIndex.TILE) { // a wrong key is named before any row is removed
            int n = load(tile, keys, at);
            index.find(tile.keys, n, tile.rows, 0);
        }
        int before = count();
        for (int i = 0; i < keys.length(); i++) {
            long key = keys.get(i);
            tellRemoval(key);
            int row = index.remove(key);
            if (row >= 0) {
                int last = index.rows();
                writes.markRemoved(key, row);
                move(last, row);
                removal.removed(key, row, last);
            }
        }
        return before - count();
    }

    /** Tells of a row that is about to be removed, and of the last one, which takes its number. */
    private void tellRemoval(long key) {
        int row = writes.isWatched() ? find(key) : -1;
        if (row >= 0) {
            writes.mark(row);
            writes.mark(count() - 1);
        }
    }

    private void move(int from, int to) {
        if (from != to) {
            values.copyRow(from, to);
            slots.values().forEach(slot -> slot.copyRow(from, to));
        }
    }

    private GrowingIndex growing() {
        if (growing == null) {
            throw new IllegalStateException("rows of " + name() + ": a range (expected: of a table that grows)");
        }
        return growing;
    }

    /**
     * A slot, zero when it is first asked for.
     *
     * @return [rows, width] float32: a view
     */
    public FloatArray slot(String of, int width) {
        return columnOf(of, width).of(count());
    }

    /** True if a slot has been asked for. */
    public boolean hasSlot(String of) {
        return slots.containsKey(of);
    }

    private Column columnOf(String of, int width) {
        Column slot = slots.get(of);
        if (slot == null) {
            slot = column(of, width, FloatTypes.FLOAT32);
            if (growing != null) {
                growing.limit(slot.rows(), slot.name());
                slot.take(count());
                slot.clear(0, count());
            }
            if (slots.isEmpty()) {
                slots = new HashMap<>(4);
            }
            slots.put(of, slot);
        }
        if (slot.width() != width) {
            throw new IllegalArgumentException(
                    "width of slot \"" + of + "\": " + width + " (expected: " + slot.width() + ", as it was created)");
        }
        return slot;
    }

    /** The values, for saving and loading. */
    public StoredColumn storedValues() {
        return new HostColumn(values, index);
    }

    /** A slot, for saving and loading; zero when it is first asked for. */
    public StoredColumn storedSlot(String of, int width) {
        return new HostColumn(columnOf(of, width), index);
    }

    /** The slots that have been asked for, by name, for saving and loading. */
    public Map<String, StoredColumn> storedSlots() {
        Map<String, StoredColumn> columns = new HashMap<>();
        slots.forEach((of, slot) -> columns.put(of, new HostColumn(slot, index)));
        return Collections.unmodifiableMap(columns);
    }
}

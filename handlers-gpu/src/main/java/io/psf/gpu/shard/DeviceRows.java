package io.psf.gpu.shard;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.runtime.spi.shard.Slice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a shard in the memory of the device: the index of their keys, their values and slots. Used on the shard's
 * lane. An operation leaves keys and rows of its items in scratch memory of the workspace.
 */
final class DeviceRows {
    private final TensorInfo tensor;
    private final String name;
    private final Range range;
    private final ShardMemory memory;
    private final Workspace workspace;
    private final Pieces pieces;
    private final Transfers transfers;
    private final Status status;
    private final DeviceColumn values;
    private final DeviceSlots slots;
    /** Both null unless the table grows. */
    private final @Nullable KeyIndex index;

    private final @Nullable DeviceColumn keys;
    /** Generates the initial values of rows on the device; null if a fill writes them on the host. */
    private @Nullable Generators generator;

    private int rows;
    /** The number of rows that have their initial values: fewer than exist only after an operation that has failed. */
    private int filled;
    /** The number of rows that all columns have memory for. */
    private int capacity;

    private int used;
    private final Removals removals;
    /** The marks of a table with a policy; null if nothing has asked for them. */
    private @Nullable DeviceMarks marks;

    DeviceRows(Slice slice, ShardMemory memory, Pieces pieces) {
        this.tensor = slice.tensor();
        this.name = "tensor \"" + tensor.id() + "\", slice " + slice.slice();
        this.range = slice.range();
        this.memory = memory;
        this.workspace = memory.workspace();
        this.pieces = pieces;
        this.transfers = new Transfers(workspace);
        this.rows = tensor.grows() ? 0 : Math.toIntExact(range.length());
        this.capacity = rows;
        this.values = new DeviceColumn(
                memory, "values of " + name, tensor.width(), tensor.types().storage(), rows, most());
        this.slots = new DeviceSlots(memory, name, most());
        this.status = new Status(memory);
        this.index = tensor.grows() ? new KeyIndex(memory, "index of " + name) : null;
        this.keys =
                tensor.grows() ? new DeviceColumn(memory, "keys of " + name, 2, FloatType.FLOAT32, 0, most()) : null;
        this.removals = new Removals(this);
    }

    ShardMemory memory() {
        return memory;
    }

    Workspace workspace() {
        return workspace;
    }

    /** Copies long arrays. */
    Pieces pieces() {
        return pieces;
    }

    Transfers transfers() {
        return transfers;
    }

    Range range() {
        return range;
    }

    int count() {
        return rows;
    }

    int most() {
        return tensor.grows() ? KeyIndex.MOST_ROWS : rows;
    }

    Removals removals() {
        return removals;
    }

    DeviceColumn values() {
        return values;
    }

    DeviceSlots slots() {
        return slots;
    }

    Status status() {
        return status;
    }

    /** Returns where keys are found, if the table grows; null if their rows follow from the range. */
    @Nullable
    KeyIndex indexIfAny() {
        return index;
    }

    KeyIndex index() {
        if (index == null) {
            throw new IllegalStateException(name + ": does not grow (expected: a table that grows)");
        }
        return index;
    }

    DeviceColumn keys() {
        if (keys == null) {
            throw new IllegalStateException(name + ": does not grow (expected: a table that grows)");
        }
        return keys;
    }

    int used() {
        return used;
    }

    /** Returns the columns whose rows are moved and emptied with the rows of the table: all but the keys. */
    List<DeviceColumn> columnsOfFloats() {
        List<DeviceColumn> columns = new ArrayList<>(slots.used().values());
        columns.add(values);
        if (marks != null) {
            columns.add(marks.column());
        }
        return columns;
    }

    /** Returns the marks of a table with a policy, which are made on the first request. */
    DeviceMarks marks(ToIntFunction<BiConsumer<Kernels, Doom>> removal) {
        DeviceMarks there = marks;
        if (there == null) {
            there = operation(kernels -> new DeviceMarks(this, name, capacity, removal));
            marks = there;
        }
        return there;
    }

    /** Returns the bytes of the marks. */
    long bytesOfMarks() {
        return marks == null ? 0 : marks.bytes();
    }

    /** Marks the rows that are not marked yet, if the table has a policy. */
    void markNew(Kernels kernels) {
        if (marks != null) {
            marks.markNew(kernels);
        }
    }

    /** Takes the number of rows after a removal, and the number of index entries in use. */
    void removed(int count, int usedAfterwards) {
        rows = count;
        filled = count;
        used = usedAfterwards;
        if (marks != null) {
            marks.removed(count);
        }
    }

    /** Queues that the rows of keys of a growing table are marked. A key without a row is counted, and has row -1. */
    void touch(Kernels kernels, long of, int n, Touch touch, long into) {
        status.begin();
        if (!ownsAll()) {
            kernels.check(of, n, range, Claims.NONE, status.address());
        }
        kernels.removal().touch(of, n, index().index(), touch, into, status.address());
    }

    /** Sets the initial values of rows that are created from now on. */
    void generateBy(Generators values) {
        generator = values;
    }

    @Nullable
    Generators generator() {
        return generator;
    }

    /** True if this slice owns every key of a growing table. */
    private boolean ownsAll() {
        return range.begin() == 0 && range.end() == TensorInfo.GROWING - 1;
    }

    /** Queues what tells the first item of each row, and counts the steps of rows, after {@link #make}. */
    void mark(Kernels kernels, long items, int n, Claims claims, long steps) {
        if (claims.there() || steps != 0) {
            long entries = index == null || !claims.there() ? 0 : index.index().entries();
            kernels.mark(items, n, entries, claims, steps, status.address());
        }
    }

    /**
     * Queues the look-up of keys. A key without a row, or that is not owned, has row -1.
     *
     * @param of the address of the keys
     * @param into the address of the rows
     */
    void find(Kernels kernels, long of, int n, long into) {
        status.begin();
        if (index == null) {
            kernels.rowsInRange(of, n, range, into, Claims.NONE, status.address());
        } else {
            kernels.find(of, n, range, index.index(), into, status.address());
        }
    }

    /**
     * Queues the copy of the rows of items to memory that kernels write. An item without a row is left, and counted.
     *
     * @param items the address of the rows of all items, written for a growing table
     * @param into the address for the rows of the items
     */
    void pull(Kernels kernels, Items pulled, long items, long into) {
        Rows from = values.rowsToRead();
        if (index == null) {
            kernels.pullRange(pulled, range, from, into, status.address());
        } else {
            kernels.pullIndex(pulled, range, index.index(), from, into, items, status.address());
        }
    }

    /**
     * Queues the look-up of keys; a growing table creates missing rows, with their initial values if it generates them.
     * With claims, {@link #mark} follows.
     *
     * @param given the keys, which are at the address {@code of}, for messages
     * @param claims the claims of the operation
     * @param repeats true if keys may be repeated
     * @return the number of rows that have their initial values already
     */
    int make(Kernels kernels, LongArray given, long of, long into, Claims claims, boolean repeats) {
        int n = given.length();
        if (index == null) {
            status.begin();
            transfers.empty(claims);
            kernels.rowsInRange(of, n, range, into, claims, status.address());
            return rows;
        }
        makeRoom(kernels, given, of, into);
        status.begin();
        if (ownsAll()) {
            transfers.empty(claims);
        } else {
            kernels.check(of, n, range, claims, status.address());
        }
        int most = (long) rows + n <= capacity ? NewRows.ANY : capacity;
        NewRows created = new NewRows(keys().address(), values.rows(), most, generator);
        used = Integer.MAX_VALUE; // until the status is read: if the operation fails before, the next one reads it
        kernels.findOrInsert(of, n, index.index(), created, into, claims, status.address());
        if (repeats && !claims.there()) {
            kernels.resolve(into, n, index.index());
        }
        return filled;
    }

    /** Takes memory for the rows that keys may create. If there is enough for all keys, does not count the missing. */
    private void makeRoom(Kernels kernels, LongArray given, long of, long into) {
        int n = given.length();
        if ((long) rows + n <= capacity && index().holds((long) used + n)) {
            return;
        }
        find(kernels, of, n, into);
        status.read();
        updateCounts();
        requireOwned(given);
        int needed = (int) Math.min(most(), (long) rows + status.missing());
        if (needed > capacity) {
            grow(needed);
        }
        if (!index().holds((long) used + status.missing())) {
            index().rebuild(kernels, keys().address(), rows, needed);
            status.write(rows, rows);
            used = rows;
        }
    }

    /** Takes memory for rows in all columns. If a column cannot have it, the capacity stays. */
    private void grow(int needed) {
        List<DeviceColumn> all = slots.withReserved();
        all.add(keys());
        all.add(values);
        if (marks != null) {
            all.add(marks.column());
        }
        int least = most();
        for (DeviceColumn column : all) {
            column.grow(rows, needed);
            least = Math.min(least, column.capacity());
        }
        removals.reserve(least);
        capacity = least;
    }

    /**
     * Reads the status of an operation. Blocks until its work has ended.
     *
     * @param given the keys of the operation
     * @throws PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own, with {@code
     *     RESOURCE_EXHAUSTED} if a row could not be created
     */
    void end(LongArray given) {
        end(given, 0, 0);
    }

    /**
     * Reads the status of an operation, as {@link #end(LongArray)}; before, counts the steps of the rows of its items.
     */
    void end(LongArray given, long items, long steps) {
        status.read(items, given.length(), steps);
        updateCounts();
        filled = rows;
        requireOwned(given);
        if (status.isFull()) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "rows of " + name + ": more than " + capacity + " (expected: at most " + most()
                            + "; use more slices)");
        }
    }

    /**
     * Reads the numbers of rows and entries. New rows count as filled: if their fill throws, they stay zeros, as on
     * hosts.
     */
    void readCounts() {
        status.read();
        updateCounts();
        filled = rows;
    }

    /** Takes the counts of the status that was read: an operation that has failed may have created rows. */
    private void updateCounts() {
        if (index != null) {
            rows = status.rows();
            used = status.used();
        }
    }

    private void requireOwned(LongArray given) {
        if (status.invalid() > 0) {
            throw notOwned(given.get(given.length() - status.invalid()));
        }
    }

    /** Returns the error for a key that the shard does not own. */
    PsException notOwned(long key) {
        return new PsException(
                PsException.Code.OUT_OF_RANGE,
                "key: " + key + " (expected: " + (tensor.grows() ? "a key whose hash is in " : "a row in ") + range
                        + ")");
    }

    /** Copies the keys of rows of a growing table to the host. */
    void keys(int first, long[] into, int n) {
        operation(kernels -> {
            ByteBuffer bytes = workspace.pinned(n * Long.BYTES);
            workspace.stream().copyOut(keys().address() + (long) first * Long.BYTES, bytes);
            workspace.stream().synchronize();
            return bytes.asLongBuffer().get(into, 0, n);
        });
    }

    /** Returns the column of a slot, zeros on the first request. */
    DeviceColumn slot(String slot, int width) {
        return slots.slot(slot, width, capacity);
    }

    /** Takes the memory of a slot, unless the slot is there: a shard that is made has what its steps need. */
    void reserve(String slot, int width) {
        slots.reserve(slot, width, capacity);
    }

    /** Runs an operation on the rows, after a removal that has begun and failed. */
    <T> T operation(Function<Kernels, T> work) {
        return workspace.operation(kernels -> {
            removals.finish(kernels);
            return work.apply(kernels);
        });
    }
}

package io.psf.gpu.shard;

import io.psf.api.PsException;
import io.psf.api.array.FloatType;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.Reservation;
import org.jspecify.annotations.Nullable;

/**
 * An array in the memory of a device, with one entry for each row of a shard: the values, a slot, or the keys. The
 * array of a growing table is mapped to reserved addresses once it is long, so that it grows in place; a short one, and
 * any on a device that does not map memory, moves to memory of twice the capacity.
 */
final class DeviceColumn {
    private static final int LEAST_ROWS = 1024;

    /** The part of its capacity by which a column in reserved addresses grows. */
    private static final int PART = 16;

    private final ShardMemory memory;
    private final Workspace workspace;
    private final String name;
    private final int width;
    private final FloatType type;
    private final long bytesOfRow;
    /** The most rows of the column, for which addresses are reserved; 0 for a column that does not grow. */
    private final int most;
    /** Null once the column is in reserved addresses. */
    private @Nullable Block block;

    private @Nullable Reservation reserved;
    private int capacity;
    /** The knowledge of a column with one float a row, of a table that does not grow; null for other columns. */
    private final @Nullable SameValue same;

    /**
     * Creates a column.
     *
     * @param name the name of the column, for messages
     * @param width the values of an entry
     * @param type the format of the values
     * @param rows the capacity in rows
     * @param most the most rows that the column will have
     */
    DeviceColumn(ShardMemory memory, String name, int width, FloatType type, int rows, int most) {
        this.memory = memory;
        this.workspace = memory.workspace();
        this.name = name;
        this.width = width;
        this.type = type;
        this.bytesOfRow = (long) width * (type.isHalf() ? Short.BYTES : Float.BYTES);
        this.most = most;
        long bytes = rows * bytesOfRow;
        if (most > rows && isLong(bytes)) {
            this.reserved = reserve();
        }
        if (reserved != null) {
            reserved.extend(bytes, name);
            this.capacity = fitting(reserved);
        } else {
            this.block = memory.allocate(bytes, name);
            this.capacity = rows;
        }
        this.same = most == rows && width == 1 && !type.isHalf() ? new SameValue(rows) : null;
        workspace.stream().zero(begin(), capacity * bytesOfRow);
    }

    private boolean isLong(long bytes) {
        long granularity = workspace.device().granularity();
        return granularity > 0 && bytes >= granularity;
    }

    /** Reserves addresses for as many rows as there may be, and the device may have. Returns null if it cannot. */
    private @Nullable Reservation reserve() {
        return memory.reserve(Math.min(most * bytesOfRow, workspace.device().memory()));
    }

    private int fitting(Reservation mapped) {
        return (int) Math.min(most, mapped.bytes() / bytesOfRow);
    }

    /** Returns the address, for reading and writing. */
    long address() {
        long address = addressToRead();
        if (same != null) {
            same.changed();
        }
        return address;
    }

    /** Returns the address, for reading. */
    long addressToRead() {
        if (same != null && same.isBehind()) {
            workspace.stream().fill(begin(), bytes(), Float.floatToRawIntBits(same.value()));
            same.isWritten();
        }
        return begin();
    }

    /** Returns what is known of the values; null if nothing ever is. */
    @Nullable
    SameValue same() {
        return same;
    }

    private long begin() {
        Reservation there = reserved;
        return there != null ? there.address() : block().address();
    }

    private Block block() {
        if (block == null) {
            throw new IllegalStateException(name + ": in no block (expected: one, or reserved addresses)");
        }
        return block;
    }

    /** Returns the values of an entry. */
    int width() {
        return width;
    }

    FloatType type() {
        return type;
    }

    /** Returns the rows, for reading and writing. */
    Rows rows() {
        return new Rows(address(), width, type);
    }

    /** Returns the rows, for reading. */
    Rows rowsToRead() {
        return new Rows(addressToRead(), width, type);
    }

    long bytesOfRow() {
        return bytesOfRow;
    }

    long bytes() {
        return capacity * bytesOfRow;
    }

    /** Returns the capacity in rows. */
    int capacity() {
        return capacity;
    }

    /** Returns the capacity that a column of {@code rows} rows grows to: twice as many, at most {@code most}. */
    static int capacityFor(int rows, int most) {
        return (int) Math.min(most, Math.max(LEAST_ROWS, 2L * rows));
    }

    /**
     * Takes memory for more rows, and keeps the first {@code used} rows. If there is too little memory, nothing
     * changes.
     *
     * @param needed the least number of rows
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the device has too little memory
     */
    void grow(int used, int needed) {
        if (needed <= capacity) {
            return;
        }
        int wanted = capacityFor(needed, most);
        if (reserved == null && isLong(wanted * bytesOfRow)) {
            Reservation fresh = reserve();
            if (fresh != null) {
                moveTo(fresh, used, needed);
                return;
            }
        }
        Reservation there = reserved;
        if (there != null) {
            extend(there, used, needed);
        } else {
            move(used, needed, wanted);
        }
    }

    /** Moves a column that was short, once. */
    private void moveTo(Reservation fresh, int used, int needed) {
        try {
            fresh.extend(needed * bytesOfRow, name);
            copyTo(fresh.address(), used, fitting(fresh));
        } catch (RuntimeException e) {
            workspace.settle();
            memory.free(fresh);
            throw e;
        }
        memory.free(block());
        block = null;
        reserved = fresh;
        capacity = fitting(fresh);
    }

    /** Copies the entries in use to new memory, and empties the others: nothing has changed if that fails. */
    private void copyTo(long address, int used, int rows) {
        workspace.stream().copy(begin(), address, used * bytesOfRow);
        workspace.stream().zero(address + used * bytesOfRow, (rows - used) * bytesOfRow);
        workspace.stream().synchronize();
    }

    private void extend(Reservation there, int used, int needed) {
        int wanted = (int) Math.min(most, Math.max(needed, (long) capacity + capacity / PART));
        try {
            there.extend(wanted * bytesOfRow, name);
        } catch (PsException e) {
            if (e.code() != PsException.Code.RESOURCE_EXHAUSTED || wanted == needed) {
                throw e;
            }
            there.extend(needed * bytesOfRow, name);
        }
        int rows = fitting(there);
        clear(used, rows);
        capacity = rows; // not before: rows that are not empty have to be emptied once more
    }

    private void move(int used, int needed, int wanted) {
        int rows = wanted;
        Block larger;
        try {
            larger = memory.allocate(wanted * bytesOfRow, name);
        } catch (PsException e) {
            if (e.code() != PsException.Code.RESOURCE_EXHAUSTED || wanted == needed) {
                throw e;
            }
            rows = needed;
            larger = memory.allocate(needed * bytesOfRow, name);
        }
        try {
            copyTo(larger.address(), used, rows);
        } catch (RuntimeException e) {
            workspace.settle();
            memory.free(larger);
            throw e;
        }
        memory.free(block());
        block = larger;
        capacity = rows;
    }

    /** Empties the entries of rows. */
    void clear(int begin, int end) {
        if (same != null && begin == 0 && end == capacity) {
            same.set(0);
        } else {
            workspace.stream().zero(address() + begin * bytesOfRow, (end - begin) * bytesOfRow);
        }
    }
}

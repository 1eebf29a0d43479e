package io.psf.gpu.shard;

import io.psf.api.PsException;
import io.psf.gpu.driver.Block;

/**
 * An array in the memory of a device, with one entry for each row of a shard: the values, a slot, or the keys. A full column
 * moves to memory of twice the capacity.
 */
final class DeviceColumn {
    private static final int LEAST_ROWS = 1024;

    private final ShardMemory memory;
    private final Workspace workspace;
    private final String name;
    private final long bytesOfRow;
    private final int empty;
    private Block block;
    private int capacity;

    /**
     * Creates a column.
     *
     * @param name the name of the column, for messages
     * @param bytesOfRow the size of an entry in bytes, a multiple of 4
     * @param empty the 32-bit pattern that fills the entries of rows that do not exist
     * @param rows the capacity in rows
     */
    DeviceColumn(ShardMemory memory, String name, long bytesOfRow, int empty, int rows) {
        this.memory = memory;
        this.workspace = memory.workspace();
        this.name = name;
        this.bytesOfRow = bytesOfRow;
        this.empty = empty;
        this.block = allocate(rows);
        this.capacity = rows;
        workspace.stream().fill(block.address(), rows * bytesOfRow, empty);
    }

    private Block allocate(int rows) {
        return memory.allocate(rows * bytesOfRow, name);
    }

    long address() {
        return block.address();
    }

    /** Returns the width of an entry in floats. */
    int width() {
        return (int) (bytesOfRow / Float.BYTES);
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
     * Takes memory for more rows, and keeps the first {@code used} rows. If there is too little memory, nothing changes.
     *
     * @param needed the least number of rows
     * @param wanted the number of rows if the device has memory for them
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the device has too little memory
     */
    void grow(int used, int needed, int wanted) {
        if (needed <= capacity) {
            return;
        }
        int rows = wanted;
        Block larger;
        try {
            larger = allocate(wanted);
        } catch (PsException e) {
            if (e.code() != PsException.Code.RESOURCE_EXHAUSTED || wanted == needed) {
                throw e;
            }
            rows = needed;
            larger = allocate(needed);
        }
        workspace.stream().copy(block.address(), larger.address(), used * bytesOfRow);
        workspace.stream().fill(larger.address() + used * bytesOfRow, (rows - used) * bytesOfRow, empty);
        workspace.stream().synchronize();
        memory.free(block);
        block = larger;
        capacity = rows;
    }

    /** Empties the entries of rows. */
    void clear(int begin, int end) {
        workspace.stream().fill(block.address() + begin * bytesOfRow, (end - begin) * bytesOfRow, empty);
    }
}

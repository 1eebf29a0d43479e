package io.psf.gpu.shard;

import io.psf.api.PsException;
import io.psf.gpu.driver.Block;

/** An array of a shard in the memory of the device, with an entry for each row. Grows by doubling. */
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
     * @param name the name, for messages
     * @param bytesOfRow the bytes of an entry, a multiple of 4
     * @param empty the 32 bits that fill the entries of rows that do not exist
     * @param rows the number of rows that there is memory for
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

    /** Returns the number of floats in a row, if the entries are floats. */
    int width() {
        return (int) (bytesOfRow / Float.BYTES);
    }

    long bytesOfRow() {
        return bytesOfRow;
    }

    /** Returns the bytes of the column's memory. */
    long bytes() {
        return capacity * bytesOfRow;
    }

    /** Returns the number of rows that there is memory for. */
    int capacity() {
        return capacity;
    }

    /** Returns a larger capacity than that of so many rows, to grow to, at most {@code most}. */
    static int roomFor(int rows, int most) {
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

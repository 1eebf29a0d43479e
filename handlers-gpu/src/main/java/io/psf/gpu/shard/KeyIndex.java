package io.psf.gpu.shard;

import io.psf.gpu.driver.Block;

/**
 * The index of a growing table in the memory of a device: finds the row of a key. An index that is too full is replaced
 * by one with at least twice as many entries, which a kernel builds from the keys of the rows.
 */
final class KeyIndex {
    private static final int BYTES_OF_ENTRY = 16;
    private static final int LEAST = 1 << 10;

    /**
     * The maximum number of rows in an index. Beyond it, the number of entries would exceed the integers of the
     * kernels.
     */
    static final int MOST_ROWS = 1 << 29;

    private final ShardMemory memory;
    private final Workspace workspace;
    private final String name;
    private Block block;
    private int entries;

    KeyIndex(ShardMemory memory, String name) {
        this.memory = memory;
        this.workspace = memory.workspace();
        this.name = name;
        this.entries = LEAST;
        this.block = allocate(LEAST);
        clear();
    }

    private Block allocate(int entries) {
        return memory.allocate(bytes(entries), name);
    }

    /**
     * Returns the size of an index in bytes. It has one more entry, for the key whose tag is the tag of an empty entry.
     */
    static long bytes(int entries) {
        return (entries + 1L) * BYTES_OF_ENTRY;
    }

    /**
     * Returns the number of entries of an index in which {@code used} entries are in use: the least power of two of
     * which they are at most three quarters.
     *
     * @param used the number of entries in use, at most {@link #MOST_ROWS}
     */
    static int entriesFor(int used) {
        int entries = LEAST;
        while (used > entries / 4 * 3) {
            entries *= 2;
        }
        return entries;
    }

    Index index() {
        return new Index(block.address(), entries - 1L);
    }

    /** True if {@code used} entries are at most three quarters of this index. */
    boolean holds(long used) {
        return used <= entries / 4 * 3L;
    }

    /**
     * Replaces the index by one with entries for the expected rows, without the entries of removed keys.
     *
     * @param keys the address of the rows' keys
     * @param rows the number of rows
     * @param expected the number of rows that the new index has to hold, at most {@link #MOST_ROWS}
     */
    void rebuild(Kernels kernels, long keys, int rows, int expected) {
        int wanted = entriesFor((int) Math.min(MOST_ROWS, expected * 5L / 4)); // else it would be rebuilt again soon
        Block fresh = allocate(wanted);
        try {
            workspace.stream().fill(fresh.address(), bytes(wanted), 0);
            kernels.index(keys, rows, new Index(fresh.address(), wanted - 1L));
            workspace.stream().synchronize();
        } catch (RuntimeException | Error e) { // the earlier index stays: in an unfinished index no search ends
            workspace.settle();
            memory.free(fresh);
            throw e;
        }
        memory.free(block);
        block = fresh;
        entries = wanted;
    }

    /** Removes all entries. */
    void clear() {
        workspace.stream().fill(block.address(), bytes(entries), 0);
    }
}

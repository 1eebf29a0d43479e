package io.psf.gpu.shard;

import io.psf.gpu.driver.Block;
import java.nio.ByteBuffer;

/** The status of a shard that kernels write ({@code Status} of psf.cu), and the copy of it that the host has read. */
final class Status {
    /** The bytes of the words of one operation. */
    private static final int OF_OPERATION = 16;

    static final int BYTES = 24;

    private final Workspace workspace;
    private final Block block;
    private int invalid;
    private int full;
    private int duplicates;
    private int missing;
    private int rows;
    private int used;

    Status(ShardMemory memory) {
        this.workspace = memory.workspace();
        this.block = memory.allocate(BYTES, "a shard's status");
        workspace.stream().fill(block.address(), BYTES, 0);
    }

    long address() {
        return block.address();
    }

    /** Resets the words of one operation. */
    void reset() {
        workspace.stream().fill(block.address(), OF_OPERATION, 0);
    }

    /** Reads the status. Blocks until the work so far has ended. */
    void read() {
        ByteBuffer words = workspace.pinned(BYTES);
        workspace.stream().copyOut(block.address(), words);
        workspace.stream().synchronize();
        set(words);
    }

    private void set(ByteBuffer words) {
        int at = words.position();
        invalid = words.getInt(at);
        full = words.getInt(at + 4);
        duplicates = words.getInt(at + 8);
        missing = words.getInt(at + 12);
        rows = words.getInt(at + 16);
        used = words.getInt(at + 20);
    }

    /** Sets the number of rows and of used entries of the index. Blocks until the device has them. */
    void write(int rows, int used) {
        ByteBuffer words = workspace.pinned(2 * Integer.BYTES);
        words.putInt(0, rows).putInt(4, used);
        workspace.stream().copyIn(words, block.address() + OF_OPERATION);
        workspace.stream().synchronize();
        this.rows = rows;
        this.used = used;
    }

    /** Returns n minus the index of the first key of n that the shard does not own; 0 if it owns all. */
    int invalid() {
        return invalid;
    }

    /** True if a row was not created, since there was no memory for it. */
    boolean isFull() {
        return full != 0;
    }

    int duplicates() {
        return duplicates;
    }

    int missing() {
        return missing;
    }

    int rows() {
        return rows;
    }

    int used() {
        return used;
    }
}

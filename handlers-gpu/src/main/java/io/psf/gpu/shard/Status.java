package io.psf.gpu.shard;

import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.PinnedMemory;
import java.nio.ByteBuffer;

/** The status of a shard that kernels write ({@code Status} of psf.cu), and the copy of it that the host has read. */
final class Status {
    /** The bytes of the words of one operation. */
    private static final int OF_OPERATION = 16;

    static final int BYTES = 28;

    /** The bytes that the host reads. */
    private static final int READ = 24;

    private final Workspace workspace;
    private final Block block;
    /** True if the words of one operation are not zeros, or may be others. */
    private boolean isUsed;

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

    /** Begins an operation. Resets its words if the operation before has failed; else {@link #read} has reset them. */
    void begin() {
        if (isUsed) {
            workspace.stream().fill(block.address(), OF_OPERATION, 0);
        }
        isUsed = true;
    }

    /** True if {@link #read(long, int, long)} can count steps: a kernel writes to memory of the host. */
    boolean canCountSteps() {
        return PinnedMemory.address(workspace.words()) != 0;
    }

    /** Reads the status and resets the words of one operation. Blocks until the work so far has ended. */
    void read() {
        read(0, 0, 0);
    }

    /**
     * Reads the status and resets the words of one operation. Blocks until the work so far has ended.
     *
     * @param items the address of the rows of n items, none of which is repeated
     * @param steps the number of steps of each row, which are counted unless the operation has failed; 0 for none
     */
    void read(long items, int n, long steps) {
        ByteBuffer words = workspace.words();
        long direct = PinnedMemory.address(words);
        if (direct == 0) {
            workspace.stream().copyOut(block.address(), words.slice(0, READ));
            workspace.stream().fill(block.address(), OF_OPERATION, 0);
        } else if (steps == 0) {
            workspace.kernels().end(block.address(), direct);
        } else {
            endSteps(workspace.kernels(), items, n, steps, block.address(), direct);
        }
        workspace.stream().synchronize();
        isUsed = false;
        invalid = words.getInt(0);
        full = words.getInt(4);
        duplicates = words.getInt(8);
        missing = words.getInt(12);
        rows = words.getInt(16);
        used = words.getInt(20);
    }

    static void endSteps(Kernels kernels, long items, int n, long steps, long status, long into) {
        kernels.launch(
                "psf_end_steps",
                n,
                new LaunchArguments()
                        .pointer(items)
                        .i32(n)
                        .pointer(steps)
                        .pointer(status)
                        .pointer(into));
    }

    /** Sets the number of rows and of used entries of the index. Blocks until the device has them. */
    void write(int rows, int used) {
        ByteBuffer words = workspace.words();
        words.putInt(0, rows).putInt(4, used);
        workspace.stream().copyIn(words, 2 * Integer.BYTES, block.address() + OF_OPERATION);
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

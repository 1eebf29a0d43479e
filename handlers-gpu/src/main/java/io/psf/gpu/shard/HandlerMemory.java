package io.psf.gpu.shard;

import io.psf.gpu.driver.Block;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of a device that handlers of one lane use. It is given up when a handler of another piece of work takes
 * memory, and with the last shard of the lane on the device.
 */
final class HandlerMemory {
    private final Workspace workspace;
    private final List<Block> blocks = new ArrayList<>();
    /** The piece of work that the blocks belong to. */
    private long owner = -1;

    HandlerMemory(Workspace workspace) {
        this.workspace = workspace;
    }

    /**
     * Allocates memory, its content undefined.
     *
     * @param turn the number of the piece of work that runs
     */
    Block allocate(long turn, long bytes) {
        if (turn != owner) {
            free();
            owner = turn;
        }
        Block block = workspace.device().allocate(bytes, "a handler");
        blocks.add(block);
        return block;
    }

    /** Gives all memory up, when the work on it has ended. */
    void free() {
        if (!blocks.isEmpty()) {
            workspace.settle();
            blocks.forEach(workspace.device()::free);
            blocks.clear();
        }
    }
}

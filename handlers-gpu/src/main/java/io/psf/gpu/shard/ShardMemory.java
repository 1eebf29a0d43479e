package io.psf.gpu.shard;

import io.psf.api.PsException;
import io.psf.gpu.driver.Block;
import java.util.HashSet;
import java.util.Set;

/** The memory of one shard on a device, which is given up as a whole. */
final class ShardMemory {
    private final Workspace workspace;
    private final Set<Block> blocks = new HashSet<>();
    private boolean isGivenUp;

    ShardMemory(Workspace workspace) {
        this.workspace = workspace;
    }

    Workspace workspace() {
        return workspace;
    }

    /**
     * Allocates memory, its content undefined.
     *
     * @param what the use, for the message
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the device has too little memory
     */
    Block allocate(long bytes, String what) {
        Block block = workspace.device().allocate(bytes, what);
        blocks.add(block);
        return block;
    }

    /** Returns the number of bytes that are allocated. */
    long bytes() {
        return blocks.stream().mapToLong(Block::bytes).sum();
    }

    /** Gives a block up. No work uses it. */
    void free(Block block) {
        if (blocks.remove(block)) {
            workspace.device().free(block);
        }
    }

    /**
     * Checks that the shard has its memory: a step that began before its tensor was cleared may end afterwards.
     *
     * @throws PsException with {@code UNKNOWN_TENSOR} if it has been given up
     */
    void requireThere() {
        if (isGivenUp) {
            throw new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared");
        }
    }

    /** Gives all memory up, when the work on it has ended. */
    void freeAll() {
        isGivenUp = true;
        workspace.settle();
        blocks.forEach(workspace.device()::free);
        blocks.clear();
    }
}

package io.psf.gpu.shard;

import io.psf.api.PsException;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.Reservation;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The memory of one shard on a device, which is given up as a whole. */
final class ShardMemory {
    private final Workspace workspace;
    private final Set<Block> blocks = new HashSet<>();
    private final Set<Reservation> reservations = new HashSet<>();
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

    /**
     * Reserves addresses for memory that is mapped later.
     *
     * @param bytes the most bytes that will be mapped
     * @return null if the device does not map memory
     */
    @Nullable
    Reservation reserve(long bytes) {
        Reservation reservation = workspace.device().reserve(bytes);
        if (reservation != null) {
            reservations.add(reservation);
        }
        return reservation;
    }

    /** Returns the number of bytes that are allocated or mapped. */
    long bytes() {
        return blocks.stream().mapToLong(Block::bytes).sum()
                + reservations.stream().mapToLong(Reservation::bytes).sum();
    }

    /** Gives a block up. No work uses it. */
    void free(Block block) {
        if (blocks.remove(block)) {
            workspace.device().free(block);
        }
    }

    /** Gives reserved addresses and their memory up. No work uses them. */
    void free(Reservation reservation) {
        if (reservations.remove(reservation)) {
            reservation.free();
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
        reservations.forEach(Reservation::free);
        reservations.clear();
    }
}

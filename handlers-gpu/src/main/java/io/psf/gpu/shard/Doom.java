package io.psf.gpu.shard;

import io.psf.gpu.driver.Block;

/**
 * The memory that a removal of rows is prepared in, which is zeros before.
 *
 * @param rows the address of a bit for each row, set if the row is removed
 * @param removal the address of what is known of the removal ({@code Removal} of psf.cu)
 * @param choice the address of the state of a choice by ranks ({@code Choice} of psf.cu)
 */
record Doom(long rows, long removal, long choice) {
    /** The bytes of {@code Removal}, which are read. */
    static final int BYTES = 16;

    private static final int BYTES_OF_CHOICE = 1056;

    /** Returns the bytes of the memory for some rows. */
    static long bytes(int rows) {
        return BYTES + BYTES_OF_CHOICE + (rows + 31L) / 32 * Integer.BYTES;
    }

    /** Returns the memory in a block. */
    static Doom in(Block block) {
        long address = block.address();
        return new Doom(address + BYTES + BYTES_OF_CHOICE, address, address + BYTES);
    }
}

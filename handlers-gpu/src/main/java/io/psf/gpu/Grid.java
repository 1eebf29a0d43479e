package io.psf.gpu;

/**
 * The shape of a launch, in one dimension.
 *
 * @param blocks the number of blocks, at least 1
 * @param threads the number of threads in a block, 1 to 1024
 * @param sharedBytes the bytes of dynamic shared memory of a block, at least 0
 */
public record Grid(int blocks, int threads, int sharedBytes) {
    /** Threads in a block of a kernel whose threads are independent. */
    private static final int USUAL = 256;

    /** Blocks for each multiprocessor: beyond this number, a thread takes several items. */
    private static final int WAVES = 32;

    /** Checks the shape. Throws {@link IllegalArgumentException} if the driver could not launch it. */
    public Grid {
        if (blocks < 1 || threads < 1 || threads > 1024 || sharedBytes < 0) {
            throw new IllegalArgumentException("grid: " + blocks + " blocks of " + threads + " threads, " + sharedBytes
                    + " bytes (expected: at least 1 block, 1 to 1024 threads, at least 0 bytes)");
        }
    }

    /**
     * Returns the shape for a kernel with a grid-stride loop.
     *
     * @param items the number of items, at least 0; a kernel without items is launched all the same
     * @param processors the number of multiprocessors
     */
    public static Grid of(long items, int processors) {
        long blocks = Math.max(1, (items + USUAL - 1) / USUAL);
        return new Grid((int) Math.min(blocks, (long) processors * WAVES), USUAL, 0);
    }

    /**
     * Returns the shape for a kernel whose threads take one item each: as many blocks as there are items for.
     *
     * @param items the number of items, at least 0
     */
    public static Grid once(long items) {
        return new Grid((int) Math.max(1, Math.min(Integer.MAX_VALUE, (items + USUAL - 1) / USUAL)), USUAL, 0);
    }

    /** Returns one block, with a thread for each item as far as there may be as many. */
    public static Grid one(int items) {
        return new Grid(1, Math.max(32, Math.min(1024, (items + 31) & -32)), 0);
    }

    /** Returns the shape as CUDA writes it, for messages. */
    @Override
    public String toString() {
        return "<<<" + blocks + ", " + threads + (sharedBytes == 0 ? "" : ", " + sharedBytes) + ">>>";
    }
}

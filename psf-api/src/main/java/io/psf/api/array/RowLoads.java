package io.psf.api.array;

import java.lang.ref.Reference;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.Objects;

/**
 * Loads rows into the processor's cache before they are copied or stepped. A loop that works on rows at random waits
 * for each of them. The loads here do not depend on each other, and take few instructions each: the processor makes as
 * many at a time as fit in its window of instructions.
 */
final class RowLoads {
    /** Bytes in a cache line on most machines. */
    static final int LINE = 64;

    /**
     * The cache lines that are loaded ahead of their use. They take a part of the first-level cache: 12 of its 32 KiB.
     */
    private static final int LINES_AHEAD = 192;

    /** Rows of more lines are not loaded ahead: the processor loads the lines that follow the first ones by itself. */
    private static final int MOST_LINES = 8;

    /** Arrays of fewer bytes stay in the second-level cache of a core. */
    private static final int IN_CACHE = 1 << 17;

    private RowLoads() {}

    /** True if work on rows at random is faster if they are loaded ahead. */
    static boolean areWorthIt(long bytes, int bytesOfRow) {
        return bytes >= IN_CACHE && bytesOfRow <= MOST_LINES * LINE;
    }

    /**
     * Returns the number of rows that are loaded at a time, at least 1.
     *
     * @param arrays the number of arrays of which the rows are used together
     */
    static int ahead(int bytesOfRow, int arrays) {
        int lines = Math.max(1, bytesOfRow / LINE) * arrays;
        return Math.max(1, LINES_AHEAD / lines);
    }

    /**
     * Loads the rows whose numbers are elements {@code [from, to)} of {@code rows}. Four lines of a row are loaded
     * together: a loop over the lines of one row takes more instructions for a load.
     *
     * @param beginsAtLine true if row 0 begins at a cache line
     * @return a sum that the caller has to keep, so that the JIT does not remove the loads
     */
    static int load(FloatBuffer data, boolean beginsAtLine, int[] rows, int from, int to, int width) {
        long address = Addresses.canBeRead() ? Addresses.of(data) : 0;
        try {
            return load(data, address, beginsAtLine, rows, from, to, width);
        } finally {
            Reference.reachabilityFence(data);
        }
    }

    private static int load(
            FloatBuffer data, long address, boolean beginsAtLine, int[] rows, int from, int to, int width) {
        int line = LINE / Float.BYTES;
        int n = data.capacity() / width;
        int sum = 0;
        int at = 0;
        for (; at + 3 * line < width; at += 4 * line) {
            for (int i = from; i < to; i++) {
                int row = Objects.checkIndex(rows[i], n) * width + at;
                long first = address + (long) Float.BYTES * row;
                sum += bits(data, row, first)
                        + bits(data, row + line, first + LINE)
                        + bits(data, row + 2 * line, first + 2 * LINE)
                        + bits(data, row + 3 * line, first + 3 * LINE);
            }
        }
        for (; at < width; at += line) {
            for (int i = from; i < to; i++) {
                int row = Objects.checkIndex(rows[i], n) * width + at;
                sum += bits(data, row, address + (long) Float.BYTES * row);
            }
        }
        if (width % line != 0 || !beginsAtLine) { // a row that begins within a line ends in another one
            for (int i = from; i < to; i++) {
                int row = Objects.checkIndex(rows[i], n) * width + width - 1;
                sum += bits(data, row, address + (long) Float.BYTES * row);
            }
        }
        return sum;
    }

    /** Reads an element of a row that is in the array: element {@code at}, which is at an address. */
    private static int bits(FloatBuffer data, int at, long address) {
        return Addresses.canBeRead() ? Addresses.word(address) : Float.floatToRawIntBits(data.get(at));
    }

    /** Does the same for values of 16 bits. */
    static int load(ShortBuffer data, int[] rows, int from, int to, int width) {
        int sum = 0;
        for (int at = 0; at < width; at += LINE / Short.BYTES) {
            for (int i = from; i < to; i++) {
                sum += data.get(rows[i] * width + at);
            }
        }
        for (int i = from; i < to; i++) {
            sum += data.get(rows[i] * width + width - 1);
        }
        return sum;
    }
}

package io.psf.interchange;

import java.nio.ByteBuffer;

/**
 * Numbers of a few bits each in a Parquet page: runs of one number, and groups of eight packed numbers, the lowest bits
 * first (the encoding RLE of the format).
 */
final class BitRuns {
    private final ByteBuffer in;
    private final int bits;
    /** The numbers that are left of the run. */
    private long left;

    private boolean isPacked;
    /** The number of a run, or bits that have been read and not used. */
    private long held;
    /** The number of bits in {@link #held}. */
    private int heldBits;

    /**
     * Creates a reader.
     *
     * @param in the runs; numbers after its end are an error
     * @param bits the bits of a number, from 0 to 32
     */
    BitRuns(ByteBuffer in, int bits) {
        if (bits < 0 || bits > Integer.SIZE) {
            throw new IllegalArgumentException("bits of a number: " + bits + " (expected: from 0 to 32)");
        }
        this.in = in;
        this.bits = bits;
    }

    int next() {
        while (left == 0) {
            begin();
        }
        left--;
        if (!isPacked) {
            return (int) held;
        }
        while (heldBits < bits) {
            held |= (in.get() & 0xffL) << heldBits;
            heldBits += Byte.SIZE;
        }
        int value = (int) (held & (1L << bits) - 1);
        held >>>= bits;
        heldBits -= bits;
        return value;
    }

    private void begin() {
        long head = ThriftStruct.varint(in);
        isPacked = (head & 1) == 1;
        left = isPacked ? (head >>> 1) * Byte.SIZE : head >>> 1;
        held = 0;
        heldBits = 0;
        for (int at = 0; !isPacked && at < bits; at += Byte.SIZE) {
            held |= (in.get() & 0xffL) << at;
        }
    }
}

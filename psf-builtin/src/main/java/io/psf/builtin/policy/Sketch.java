package io.psf.builtin.policy;

import io.psf.api.TensorLayout;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Counts how often keys come, in bounded memory: a count-min sketch with conservative update (Cormode and
 * Muthukrishnan, Journal of Algorithms 55, 2005; Estan and Varghese, SIGCOMM 2002), four counters of 8 bits per key,
 * all in one cache line. Counts are never too low, except that all counters are halved when as many keys have come as a
 * row has counters, so that old keys are forgotten (Einziger et al., TinyLFU, ACM Transactions on Storage 13, 2017).
 * Not thread-safe.
 */
final class Sketch {
    private static final int ROWS = 4;
    /** The counters of a block: a cache line. */
    private static final int BLOCK = 64;

    private static final int MOST = 255;

    /** Eight counters of a row. */
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final byte[] counters;
    private int added;

    /**
     * Creates a sketch of zeros.
     *
     * @param bytes the memory, at least 64; rounded down to a power of two
     */
    Sketch(long bytes) {
        counters = new byte[(int) Long.highestOneBit(bytes)];
    }

    long bytes() {
        return counters.length;
    }

    /** Counts a key, and returns how often it has come, this time included. */
    int add(long key) {
        if (++added > counters.length / ROWS) {
            halve();
            added = 1;
        }
        long hash = TensorLayout.hash(key ^ 0x5bd1e995L);
        int block = (int) hash & -BLOCK; // the lower half of the hash selects the block, the upper half the counters
        int at0 = at(block, hash >>> 32);
        int at1 = at(block + 16, hash >>> 36);
        int at2 = at(block + 32, hash >>> 40);
        int at3 = at(block + 48, hash >>> 44);
        int count0 = counters[at0] & MOST;
        int count1 = counters[at1] & MOST;
        int count2 = counters[at2] & MOST;
        int count3 = counters[at3] & MOST;
        int count = Math.min(MOST, Math.min(Math.min(count0, count1), Math.min(count2, count3)) + 1);
        counters[at0] = (byte) Math.max(count, count0);
        counters[at1] = (byte) Math.max(count, count1);
        counters[at2] = (byte) Math.max(count, count2);
        counters[at3] = (byte) Math.max(count, count3);
        return count;
    }

    /** Returns the index of one of the 16 counters of a row of a block. */
    private int at(int row, long bits) {
        return (row | (int) bits & 15) & (counters.length - 1);
    }

    private void halve() {
        for (int i = 0; i < counters.length; i += Long.BYTES) {
            EIGHT.set(counters, i, ((long) EIGHT.get(counters, i) >>> 1) & 0x7f7f_7f7f_7f7f_7f7fL);
        }
    }

    void write(DataOutputStream out) throws IOException {
        out.writeInt(added);
        out.writeInt(counters.length);
        out.write(counters);
    }

    /** Reads a sketch of the same size. */
    void read(DataInputStream in) throws IOException {
        added = in.readInt();
        int length = in.readInt();
        if (length != counters.length) {
            throw new IllegalArgumentException("bytes of a sketch: " + length + ", not " + counters.length);
        }
        in.readFully(counters);
    }
}

package io.psf.interchange;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Integers of a Parquet page as differences: blocks, each with the smallest difference, and what the others exceed it
 * by, packed in parts of a block with a number of bits each (DELTA_BINARY_PACKED).
 */
final class PackedDifferences {
    private final ByteBuffer in;
    private final ByteBuffer out = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final int bytes;
    private final int parts;
    private final long partLength;
    private long value;
    private boolean isFirst = true;
    private long smallest;
    /** The bits of a difference in each part of the block. */
    private byte[] widths = {};

    /** The part of the block, and what is left of it. */
    private int part;

    private long left;
    private long held;
    private int heldBits;

    PackedDifferences(ByteBuffer in, int bytes) {
        this.in = in;
        this.bytes = bytes;
        long block = ThriftStruct.varint(in);
        long partsOfBlock = ThriftStruct.varint(in);
        long unused = ThriftStruct.varint(in); // the number of values, which the page's header has
        this.value = ThriftStruct.zigzag(in);
        if (partsOfBlock < 1 || partsOfBlock > 1 << 16 || block < 1 || block % partsOfBlock != 0) {
            throw new IllegalArgumentException(
                    "block of " + block + " differences in " + partsOfBlock + " parts (expected: parts of one length)");
        }
        this.parts = (int) partsOfBlock;
        this.partLength = block / partsOfBlock;
        this.part = parts;
    }

    ByteBuffer next() {
        if (isFirst) {
            isFirst = false;
        } else {
            value += smallest() + packed(widths[part] & 0xff);
            left--;
        }
        out.clear();
        return bytes == Long.BYTES
                ? out.putLong(value).flip()
                : out.putInt((int) value).flip();
    }

    /** Returns the smallest difference of the block; begins a part or a block if need be. */
    private long smallest() {
        if (left == 0) {
            part++;
            if (part >= parts) {
                smallest = ThriftStruct.zigzag(in);
                widths = new byte[parts];
                in.get(widths);
                part = 0;
            }
            left = partLength;
            held = 0;
            heldBits = 0;
        }
        return smallest;
    }

    private long packed(int bits) {
        if (bits > Long.SIZE) {
            throw new IllegalArgumentException("bits of a difference: " + bits + " (expected: from 0 to 64)");
        }
        long packed = 0;
        for (int at = 0; at < bits; ) {
            if (heldBits == 0) {
                held = in.get() & 0xff;
                heldBits = Byte.SIZE;
            }
            int n = Math.min(bits - at, heldBits);
            packed |= (held & (1L << n) - 1) << at;
            held >>>= n;
            heldBits -= n;
            at += n;
        }
        return packed;
    }
}

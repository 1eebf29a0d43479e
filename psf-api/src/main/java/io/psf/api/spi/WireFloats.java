package io.psf.api.spi;

import io.psf.api.array.ArrayMemory;
import io.psf.api.array.EncodedFloats;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.RowFloats;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The formats of float32 arrays on the wire. In an entry of the array table, the lowest 8 bits of the type are the
 * format; the others are the values in a block of {@code INT8}, whose bytes are a float32 factor for each block, then
 * an int8 for each value. Stateless.
 */
final class WireFloats {
    /** The number of the first format after the numbers of {@link io.psf.api.array.ElementType}. */
    private static final int FLOAT16 = 5;

    private static final int BFLOAT16 = 6;
    private static final int INT8 = 7;

    /** Makes values positive, so that truncating rounds to the nearest. */
    private static final int MIDDLE = 128;

    private static final float ROUNDED = MIDDLE + 0.5f;

    private WireFloats() {}

    /** Returns the type in an entry of the array table for values with rows of a width; 0 if they have no rows. */
    static int entry(FloatType type, int width) {
        return switch (type) {
            case FLOAT32 -> io.psf.api.array.ElementType.FLOAT.ordinal();
            case FLOAT16 -> FLOAT16;
            case BFLOAT16 -> BFLOAT16;
            case INT8 -> INT8 | FloatType.block(width) << 8;
        };
    }

    /** True if an entry's type is one of this class, other than {@code FLOAT32}. */
    static boolean is(int entry) {
        return entry == FLOAT16 || entry == BFLOAT16 || ((entry & 0xff) == INT8 && entry >>> 8 > 0);
    }

    /** Returns the bytes of n values. */
    static long bytes(int entry, int n) {
        if ((entry & 0xff) == INT8) {
            int block = entry >>> 8;
            return n + (long) Float.BYTES * ((n + (long) block - 1) / block);
        }
        return (long) Short.BYTES * n;
    }

    /** Writes values at the buffer's position, and advances it. */
    static void write(FloatArray values, int entry, ByteBuffer out) {
        int bytes = (int) bytes(entry, values.length());
        ByteBuffer into = out.slice(out.position(), bytes).order(ByteOrder.LITTLE_ENDIAN);
        EncodedFloats encoded = (entry & 0xff) == INT8 ? EncodedFloats.of(values) : null;
        if (encoded != null && isOf(encoded, entry, values.length())) {
            into.put(encoded.factors().duplicate()).put((ByteBuffer) encoded.values());
        } else if ((entry & 0xff) == INT8) {
            writeBytes(values, entry >>> 8, into);
        } else {
            half(into, entry).copyFrom(0, values);
        }
        out.position(out.position() + bytes);
    }

    /** True if values are in the blocks of an entry already: to round them once more would change them. */
    private static boolean isOf(EncodedFloats encoded, int entry, int n) {
        return encoded.type() == FloatType.INT8
                && encoded.first() == 0
                && (encoded.block() == entry >>> 8 || encoded.block() >= n && entry >>> 8 >= n);
    }

    /** Writes rows of values, [_, width], at the buffer's position, and advances it. */
    static void writeRows(FloatArray values, int[] rows, int from, int to, int width, int entry, ByteBuffer out) {
        int n = Math.multiplyExact(to - from, width);
        if ((entry & 0xff) == INT8) {
            write(RowFloats.of(values, rows, from, to - from, width), entry, out);
            return;
        }
        int bytes = (int) bytes(entry, n);
        half(out.slice(out.position(), bytes), entry).gather(values, rows, from, to, width);
        out.position(out.position() + bytes);
    }

    /** Returns a view of the values in bytes of a body. */
    static FloatArray read(ByteBuffer bytes, int entry, int n) {
        return (entry & 0xff) == INT8 ? ArrayMemory.viewBlocks(bytes, entry >>> 8, n) : half(bytes, entry);
    }

    private static FloatArray half(ByteBuffer bytes, int entry) {
        return ArrayMemory.view(bytes, entry == FLOAT16 ? FloatType.FLOAT16 : FloatType.BFLOAT16);
    }

    private static void writeBytes(FloatArray values, int block, ByteBuffer into) {
        int n = values.length();
        int blocks = (int) ((n + (long) block - 1) / block);
        float[] tile = new float[Math.min(block, n)];
        byte[] rounded = new byte[tile.length];
        for (int b = 0; b < blocks; b++) {
            int begin = b * block;
            int some = Math.min(block, n - begin);
            values.copyTo(begin, tile, 0, some);
            int largest = 0;
            for (int i = 0; i < some; i++) {
                largest = Math.max(largest, Float.floatToRawIntBits(tile[i]) & Integer.MAX_VALUE);
            }
            float factor = Float.intBitsToFloat(largest) / Byte.MAX_VALUE;
            float inverse = 1 / factor;
            if (!Float.isFinite(factor)) { // one is not finite
                factor = Float.NaN;
                inverse = 0;
            }
            if (Float.isFinite(inverse)) {
                for (int i = 0; i < some; i++) {
                    rounded[i] = (byte) ((int) (tile[i] * inverse + ROUNDED) - MIDDLE);
                }
            } else {
                factor = roundTiny(tile, some, Float.intBitsToFloat(largest), rounded);
            }
            into.putFloat(b * Float.BYTES, factor);
            into.put(blocks * Float.BYTES + begin, rounded, 0, some);
        }
    }

    /**
     * Rounds values whose factor is so small that its inverse is not a float32.
     *
     * @param largest the largest magnitude, less than 1e-36
     * @return the factor: rounded up, so that no value exceeds 127 times the factor
     */
    private static float roundTiny(float[] tile, int n, float largest, byte[] rounded) {
        float nearest = largest / Byte.MAX_VALUE;
        float factor = (double) nearest * Byte.MAX_VALUE < largest ? Math.nextUp(nearest) : nearest;
        for (int i = 0; i < n; i++) {
            rounded[i] = factor == 0 ? 0 : (byte) Math.rint(tile[i] / (double) factor);
        }
        return factor;
    }
}

package io.psf.api.array;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An array of float32 whose values are integers of 8 bits in memory, with a factor for each block of consecutive
 * values. It can only be read: a block's factor depends on all of its values.
 */
final class ByteFloats extends ReadOnlyFloats {
    /** The heap tile from which values are converted. One for each thread. */
    private static final ThreadLocal<byte[]> SCRATCH = ThreadLocal.withInitial(() -> new byte[TILE]);

    /** The float32 factors of all blocks, then the int8 values of all blocks. */
    private final ByteBuffer data;
    /** The index of the first factor in {@link #data}. */
    private final int factors;
    /** The index of the first value in {@link #data}. */
    private final int values;
    /** The number of values that share a factor. */
    private final int block;
    /** The number of this array's first value among all of {@link #data}. */
    private final int first;

    private final int length;

    private ByteFloats(ByteBuffer data, int factors, int values, int block, int first, int length) {
        this.data = data;
        this.factors = factors;
        this.values = values;
        this.block = block;
        this.first = first;
        this.length = length;
    }

    static ByteFloats view(ByteBuffer bytes, int block, int n) {
        ByteBuffer data = SharedArray.littleEndian(bytes);
        int factors = data.position();
        long blocks = (n + (long) block - 1) / block;
        if (data.remaining() != blocks * Float.BYTES + n) {
            throw new IllegalArgumentException("bytes: " + data.remaining() + " (expected: "
                    + (blocks * Float.BYTES + n) + ", for " + n + " values in blocks of " + block + ")");
        }
        return new ByteFloats(data, factors, factors + (int) blocks * Float.BYTES, block, 0, n);
    }

    /** Returns the memory; null if it is on the heap. */
    @Nullable
    EncodedFloats encoded() {
        if (!data.isDirect()) {
            return null;
        }
        int begin = first / block;
        int end = (int) ((first + (long) length + block - 1) / block);
        ByteBuffer own = data.slice(factors + begin * Float.BYTES, (end - begin) * Float.BYTES);
        return new EncodedFloats(FloatType.INT8, data.slice(values + first, length), own, block, first % block);
    }

    @Override
    public FloatType stored() {
        return FloatType.INT8;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public float get(int i) {
        int value = first + Objects.checkIndex(i, length);
        return data.get(values + value) * factor(value / block);
    }

    private float factor(int ofBlock) {
        return data.getFloat(factors + ofBlock * Float.BYTES);
    }

    @Override
    public FloatArray slice(int begin, int end) {
        Objects.checkFromToIndex(begin, end, length);
        return new ByteFloats(data, factors, values, block, first + begin, end - begin);
    }

    @Override
    public void copyTo(int begin, float[] target, int at, int n) {
        Objects.checkFromIndexSize(begin, n, length);
        byte[] tile = SCRATCH.get();
        for (int done = 0; done < n; ) {
            int value = first + begin + done;
            int some = Math.min(TILE, n - done);
            data.get(values + value, tile, 0, some);
            for (int i = 0; i < some; ) {
                int ofBlock = (value + i) / block;
                int end = (int) Math.min(some, (ofBlock + 1L) * block - value);
                float factor = factor(ofBlock);
                for (; i < end; i++) {
                    target[at + done + i] = tile[i] * factor;
                }
            }
            done += some;
        }
    }

    @Override
    UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException(
                "write: to an array of INT8, which is read-only (expected: a write to its copy())");
    }
}

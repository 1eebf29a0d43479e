package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A shared array of int64: a bounds-checked view of on-heap or off-heap memory. Writes to a view change the memory
 * behind it. Not thread-safe: one thread may write, or several threads may read.
 */
public final class LongArray extends SharedArray {
    /** Elements processed at once. The JIT vectorizes a loop over an on-heap tile, but not a loop over a buffer. */
    private static final int TILE = 512;

    private final LongBuffer data;

    private LongArray(LongBuffer data) {
        this.data = data;
    }

    /** Returns a new on-heap array of n zeros. */
    public static LongArray allocate(int n) {
        SharedArray.requireLength(n);
        return new LongArray(LongBuffer.wrap(new long[n]));
    }

    /** Returns a new on-heap array with a copy of the values. */
    public static LongArray of(long... values) {
        return new LongArray(LongBuffer.wrap(values.clone()));
    }

    /** Returns a view of a whole Java array. */
    public static LongArray wrap(long[] values) {
        Objects.requireNonNull(values, "values: null (expected: an array)");
        return new LongArray(LongBuffer.wrap(values));
    }

    /** Returns a view of n values of a Java array, from index {@code begin}. */
    public static LongArray wrap(long[] values, int begin, int n) {
        return new LongArray(LongBuffer.wrap(values, begin, n).slice());
    }

    /**
     * Returns a view of a buffer's bytes from its position to its limit, little-endian.
     *
     * @throws IllegalArgumentException if the bytes are not a whole number of elements
     */
    public static LongArray view(ByteBuffer bytes) {
        SharedArray.requireWhole(bytes.remaining(), ElementType.LONG);
        return new LongArray(ArrayMemory.littleEndian(bytes).asLongBuffer());
    }

    /** Returns the off-heap elements behind this array, for copies by a device; null if the array is on the heap. */
    public @Nullable LongBuffer offHeap() {
        return data.isDirect() ? data.slice() : null;
    }

    @Override
    public int length() {
        return data.capacity();
    }

    @Override
    public ElementType type() {
        return ElementType.LONG;
    }

    /** Returns element i. */
    public long get(int i) {
        return data.get(i);
    }

    /** Sets element i. */
    public void set(int i, long value) {
        data.put(i, value);
    }

    @Override
    public LongArray slice(int begin, int end) {
        return new LongArray(data.slice(begin, end - begin));
    }

    @Override
    public LongArray copy() {
        return wrap(toArray());
    }

    /** Returns a new Java array with a copy of the values. */
    public long[] toArray() {
        long[] values = new long[length()];
        data.get(0, values);
        return values;
    }

    /** Copies all values to the beginning of a Java array, which must be at least as long. */
    public void copyTo(long[] target) {
        copyTo(0, target, 0, length());
    }

    /** Copies n values, from index {@code begin}, into a Java array, from index {@code at}. */
    public void copyTo(int begin, long[] target, int at, int n) {
        data.get(begin, target, at, n);
    }

    /** Copies all values to the beginning of another array, which must be at least as long. */
    public void copyTo(LongArray target) {
        target.data.put(0, data, 0, length());
    }

    /** Copies n values of a Java array, from index {@code begin}, into this array, from index {@code at}. */
    public void copyFrom(int at, long[] source, int begin, int n) {
        data.put(at, source, begin, n);
    }

    /** Copies all values of another array to the beginning of this array. */
    public void copyFrom(LongArray source) {
        source.copyTo(this);
    }

    /** Sets every element to a value. */
    public void fill(long value) {
        long[] tile = new long[Math.min(TILE, length())];
        Arrays.fill(tile, value);
        for (int at = 0; at < length(); at += TILE) {
            data.put(at, tile, 0, Math.min(TILE, length() - at));
        }
    }

    @Override
    void write(int begin, int end, ByteBuffer out) {
        int bytes = (end - begin) * ElementType.LONG.size();
        ArrayMemory.littleEndian(out).asLongBuffer().put(0, data, begin, end - begin);
        out.position(out.position() + bytes);
    }

    @Override
    void writeRows(int[] rows, int from, int to, int width, ByteBuffer out) {
        int bytes = Math.multiplyExact(Math.multiplyExact(to - from, width), ElementType.LONG.size());
        view(out.slice(out.position(), bytes).order(ByteOrder.LITTLE_ENDIAN)).gather(this, rows, from, to, width);
        out.position(out.position() + bytes);
    }

    @Override
    public void copyFrom(int at, SharedArray source) {
        data.put(at, ((LongArray) source).data, 0, source.length());
    }

    @Override
    public void copyRows(int to, SharedArray source, int from, int n, int width) {
        LongArray other = (LongArray) source;
        SharedArray.requireRows(to, n, width, length());
        SharedArray.requireRows(from, n, width, other.length());
        if (n == 1 && width == 1) {
            data.put(to, other.data.get(from));
        } else {
            data.put(to * width, other.data, from * width, n * width);
        }
    }

    @Override
    public void gather(SharedArray source, int[] rows, int begin, int end, int width) {
        LongBuffer from = ((LongArray) source).data;
        int limit = from.capacity() / width;
        if (SharedArray.areTogether(rows, begin, end)) {
            SharedArray.gatherTogether(this, source, rows, begin, end, width);
        } else if (width == 1) {
            for (int i = begin; i < end; i++) {
                data.put(i - begin, from.get(rows[i]));
            }
        } else {
            for (int i = begin; i < end; i++) {
                data.put((i - begin) * width, from, Objects.checkIndex(rows[i], limit) * width, width);
            }
        }
    }

    @Override
    public void scatter(SharedArray source, int[] rows, int begin, int end, int width) {
        LongBuffer from = ((LongArray) source).data;
        int limit = data.capacity() / width;
        if (SharedArray.areTogether(rows, begin, end)) {
            SharedArray.scatterTogether(this, source, rows, begin, end, width);
        } else if (width == 1) {
            for (int i = begin; i < end; i++) {
                data.put(rows[i], from.get(i - begin));
            }
        } else {
            for (int i = begin; i < end; i++) {
                data.put(Objects.checkIndex(rows[i], limit) * width, from, (i - begin) * width, width);
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LongArray that && data.equals(that.data);
    }

    @Override
    public int hashCode() {
        return data.hashCode();
    }

    @Override
    public String toString() {
        return SharedArray.text(this, i -> String.valueOf(get(i)));
    }
}

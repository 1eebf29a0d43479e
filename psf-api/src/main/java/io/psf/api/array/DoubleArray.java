package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// The build makes ByteArray, IntArray and LongArray of this file: src/main/generate/GenerateArrays.java.

/**
 * A shared array of float64: a bounds-checked view of on-heap or off-heap memory. Writes to a view change the memory
 * behind it. Not thread-safe: one thread may write, or several threads may read.
 */
public final class DoubleArray extends SharedArray {
    /** Elements processed at once. The JIT vectorizes a loop over an on-heap tile, but not a loop over a buffer. */
    private static final int TILE = 512;

    private final DoubleBuffer data;

    private DoubleArray(DoubleBuffer data) {
        this.data = data;
    }

    /** Returns a new on-heap array of n zeros. */
    public static DoubleArray allocate(int n) {
        SharedArray.requireLength(n);
        return new DoubleArray(DoubleBuffer.wrap(new double[n]));
    }

    /** Returns a new on-heap array with a copy of the values. */
    public static DoubleArray of(double... values) {
        return new DoubleArray(DoubleBuffer.wrap(values.clone()));
    }

    /** Returns a view of a whole Java array. */
    public static DoubleArray wrap(double[] values) {
        Objects.requireNonNull(values, "values: null (expected: an array)");
        return new DoubleArray(DoubleBuffer.wrap(values));
    }

    /** Returns a view of n values of a Java array, from index {@code begin}. */
    public static DoubleArray wrap(double[] values, int begin, int n) {
        return new DoubleArray(DoubleBuffer.wrap(values, begin, n).slice());
    }

    /**
     * Returns a view of a buffer's bytes from its position to its limit, little-endian.
     *
     * @throws IllegalArgumentException if the bytes are not a whole number of elements
     */
    public static DoubleArray view(ByteBuffer bytes) {
        SharedArray.requireWhole(bytes.remaining(), ElementType.DOUBLE);
        return new DoubleArray(SharedArray.doubles(bytes));
    }

    /** Returns the off-heap elements behind this array, for copies by a device; null if the array is on the heap. */
    public @Nullable DoubleBuffer offHeap() {
        return data.isDirect() ? data.slice() : null;
    }

    @Override
    public int length() {
        return data.capacity();
    }

    @Override
    public ElementType type() {
        return ElementType.DOUBLE;
    }

    /** Returns element i. */
    public double get(int i) {
        return data.get(i);
    }

    /** Sets element i. */
    public void set(int i, double value) {
        data.put(i, value);
    }

    @Override
    public DoubleArray slice(int begin, int end) {
        return new DoubleArray(data.slice(begin, end - begin));
    }

    @Override
    public DoubleArray copy() {
        return wrap(toArray());
    }

    /** Returns a new Java array with a copy of the values. */
    public double[] toArray() {
        double[] values = new double[length()];
        data.get(0, values);
        return values;
    }

    /** Copies all values to the beginning of a Java array, which must be at least as long. */
    public void copyTo(double[] target) {
        copyTo(0, target, 0, length());
    }

    /** Copies n values, from index {@code begin}, into a Java array, from index {@code at}. */
    public void copyTo(int begin, double[] target, int at, int n) {
        data.get(begin, target, at, n);
    }

    /** Copies all values to the beginning of another array, which must be at least as long. */
    public void copyTo(DoubleArray target) {
        target.data.put(0, data, 0, length());
    }

    /** Copies n values of a Java array, from index {@code begin}, into this array, from index {@code at}. */
    public void copyFrom(int at, double[] source, int begin, int n) {
        data.put(at, source, begin, n);
    }

    /** Copies all values of another array to the beginning of this array. */
    public void copyFrom(DoubleArray source) {
        source.copyTo(this);
    }

    /** Sets every element to a value. */
    public void fill(double value) {
        double[] tile = new double[Math.min(TILE, length())];
        Arrays.fill(tile, value);
        for (int at = 0; at < length(); at += TILE) {
            data.put(at, tile, 0, Math.min(TILE, length() - at));
        }
    }

    // Arithmetic, which arrays of integers do not have.

    /** Adds a times x to this array, element by element: y += a x. */
    public void addScaled(double a, DoubleArray x) {
        SharedArray.requireLength("x", x.length(), length());
        double[] ys = new double[Math.min(TILE, length())];
        double[] xs = new double[ys.length];
        for (int at = 0; at < length(); at += TILE) {
            int n = Math.min(TILE, length() - at);
            data.get(at, ys, 0, n);
            x.data.get(at, xs, 0, n);
            for (int i = 0; i < n; i++) {
                ys[i] += a * xs[i];
            }
            data.put(at, ys, 0, n);
        }
    }

    /** Multiplies every element by a. */
    public void scale(double a) {
        double[] ys = new double[Math.min(TILE, length())];
        for (int at = 0; at < length(); at += TILE) {
            int n = Math.min(TILE, length() - at);
            data.get(at, ys, 0, n);
            for (int i = 0; i < n; i++) {
                ys[i] *= a;
            }
            data.put(at, ys, 0, n);
        }
    }

    /** Returns the inner product with x, summed in float64. */
    public double dot(DoubleArray x) {
        SharedArray.requireLength("x", x.length(), length());
        double[] ys = new double[Math.min(TILE, length())];
        double[] xs = new double[ys.length];
        double sum = 0;
        for (int at = 0; at < length(); at += TILE) {
            int n = Math.min(TILE, length() - at);
            data.get(at, ys, 0, n);
            x.data.get(at, xs, 0, n);
            for (int i = 0; i < n; i++) {
                sum += ys[i] * xs[i];
            }
        }
        return sum;
    }

    // End of the arithmetic.

    @Override
    void write(int begin, int end, ByteBuffer out) {
        int bytes = (end - begin) * ElementType.DOUBLE.size();
        SharedArray.doubles(out).put(0, data, begin, end - begin);
        out.position(out.position() + bytes);
    }

    @Override
    void writeRows(int[] rows, int from, int to, int width, ByteBuffer out) {
        int bytes = Math.multiplyExact(Math.multiplyExact(to - from, width), ElementType.DOUBLE.size());
        view(out.slice(out.position(), bytes).order(ByteOrder.LITTLE_ENDIAN)).gather(this, rows, from, to, width);
        out.position(out.position() + bytes);
    }

    @Override
    public void copyFrom(int at, SharedArray source) {
        data.put(at, ((DoubleArray) source).data, 0, source.length());
    }

    @Override
    public void copyRows(int to, SharedArray source, int from, int n, int width) {
        DoubleArray other = (DoubleArray) source;
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
        DoubleBuffer from = ((DoubleArray) source).data;
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
        DoubleBuffer from = ((DoubleArray) source).data;
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
        return other instanceof DoubleArray that && data.equals(that.data);
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

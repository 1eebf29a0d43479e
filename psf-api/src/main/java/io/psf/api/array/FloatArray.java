package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A shared array of float32: a bounds-checked view of memory on the heap or off it. What is written to a view stays in
 * the memory behind it. Not thread-safe: one thread writes, or many read.
 */
public final class FloatArray implements SharedArray {
    /** Elements handled at once: a tile on the heap is vectorized by the JIT, a loop over a buffer is not. */
    private static final int TILE = 512;

    /** Elements in a cache line of most machines. */
    private static final int LINE = 64 / Float.BYTES;

    @SuppressWarnings("UnusedVariable") // keeps the JIT from leaving out what is only looked at
    private float seen;

    private final FloatBuffer data;
    /** The bytes that {@link #data} views, from {@link #firstByte} on, if they lie off the heap. */
    private final @Nullable ByteBuffer bytes;

    private final int firstByte;

    private FloatArray(FloatBuffer data) {
        this(data, null, 0);
    }

    private FloatArray(FloatBuffer data, @Nullable ByteBuffer bytes, int firstByte) {
        this.data = data;
        this.bytes = bytes;
        this.firstByte = firstByte;
    }

    /** A new array of n zeros on the heap. */
    public static FloatArray allocate(int n) {
        SharedArray.requireLength(n);
        return new FloatArray(FloatBuffer.wrap(new float[n]));
    }

    /** A new array on the heap that holds a copy of the values. */
    public static FloatArray of(float... values) {
        return new FloatArray(FloatBuffer.wrap(values.clone()));
    }

    /** A view of all of a Java array. */
    public static FloatArray wrap(float[] values) {
        Objects.requireNonNull(values, "values: null (expected: an array)");
        return new FloatArray(FloatBuffer.wrap(values));
    }

    /** A view of a part of a Java array: n values from {@code begin} on. */
    public static FloatArray wrap(float[] values, int begin, int n) {
        return new FloatArray(FloatBuffer.wrap(values, begin, n).slice());
    }

    /**
     * A view of a buffer's bytes from its position to its limit, little-endian.
     *
     * @throws IllegalArgumentException if the bytes are not a whole number of elements
     */
    public static FloatArray view(ByteBuffer bytes) {
        SharedArray.requireWhole(bytes.remaining(), ElementType.FLOAT);
        return new FloatArray(
                SharedArray.littleEndian(bytes).asFloatBuffer(), bytes.isDirect() ? bytes : null, bytes.position());
    }

    /** The bytes behind this array, little-endian, for vector instructions; null if they lie on the heap. */
    public @Nullable ByteBuffer offHeap() {
        return bytes == null
                ? null
                : bytes.duplicate()
                        .clear()
                        .slice(firstByte, length() * ElementType.FLOAT.size())
                        .order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public int length() {
        return data.capacity();
    }

    @Override
    public ElementType type() {
        return ElementType.FLOAT;
    }

    /** Element i. */
    public float get(int i) {
        return data.get(i);
    }

    /** Sets element i. */
    public void set(int i, float value) {
        data.put(i, value);
    }

    @Override
    public FloatArray slice(int begin, int end) {
        return new FloatArray(data.slice(begin, end - begin), bytes, firstByte + begin * ElementType.FLOAT.size());
    }

    @Override
    public FloatArray copy() {
        return wrap(toArray());
    }

    /** A new Java array that holds a copy of the values. */
    public float[] toArray() {
        float[] values = new float[length()];
        data.get(0, values);
        return values;
    }

    /** Copies all values into the beginning of a Java array that is at least as long. */
    public void copyTo(float[] target) {
        copyTo(0, target, 0, length());
    }

    /** Copies n values from {@code begin} on into a Java array, from {@code at} on. */
    public void copyTo(int begin, float[] target, int at, int n) {
        data.get(begin, target, at, n);
    }

    /**
     * Copies rows of this array, [_, width], into a Java array, one after the other from its beginning on.
     *
     * @param rows which rows
     * @param from the first of {@code rows} to copy
     * @param n how many of {@code rows} to copy
     * @param width elements in a row
     * @param target [at least n, width]
     */
    public void copyRowsTo(int[] rows, int from, int n, int width, float[] target) {
        if (width == 1) {
            for (int i = 0; i < n; i++) {
                target[i] = data.get(rows[from + i]);
            }
        } else {
            for (int i = 0; i < n; i++) {
                data.get(rows[from + i] * width, target, i * width, width);
            }
        }
    }

    /** Copies rows back to where {@link #copyRowsTo} takes them from; one that occurs twice has what comes last. */
    public void copyRowsFrom(int[] rows, int from, int n, int width, float[] source) {
        if (width == 1) {
            for (int i = 0; i < n; i++) {
                data.put(rows[from + i], source[i]);
            }
        } else {
            for (int i = 0; i < n; i++) {
                data.put(rows[from + i] * width, source, i * width, width);
            }
        }
    }

    /** Copies all values into the beginning of another array that is at least as long. */
    public void copyTo(FloatArray target) {
        target.data.put(0, data, 0, length());
    }

    /** Copies n values of a Java array, from {@code begin} on, into this array, from {@code at} on. */
    public void copyFrom(int at, float[] source, int begin, int n) {
        data.put(at, source, begin, n);
    }

    /** Copies all values of another array into the beginning of this one. */
    public void copyFrom(FloatArray source) {
        source.copyTo(this);
    }

    /**
     * Brings values into the processor's cache while it computes something else: a loop over memory that waits for each
     * tile of it first, and then computes, does one thing at a time.
     *
     * @param begin the first of them
     * @param n how many; none if it is negative
     * @throws IndexOutOfBoundsException if there are not so many from there on, as far as that is looked at
     */
    public void prefetch(int begin, int n) {
        float sum = 0;
        for (int i = 0; i < n; i += LINE) {
            sum += data.get(begin + i);
        }
        seen = sum;
    }

    /** Sets every element. */
    public void fill(float value) {
        float[] tile = new float[Math.min(TILE, length())];
        Arrays.fill(tile, value);
        for (int at = 0; at < length(); at += TILE) {
            data.put(at, tile, 0, Math.min(TILE, length() - at));
        }
    }

    /** Adds a times x to this array, element by element: y += a x. */
    public void addScaled(float a, FloatArray x) {
        requireSameLength("x", x.length());
        float[] ys = new float[Math.min(TILE, length())];
        float[] xs = new float[ys.length];
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
    public void scale(float a) {
        float[] ys = new float[Math.min(TILE, length())];
        for (int at = 0; at < length(); at += TILE) {
            int n = Math.min(TILE, length() - at);
            data.get(at, ys, 0, n);
            for (int i = 0; i < n; i++) {
                ys[i] *= a;
            }
            data.put(at, ys, 0, n);
        }
    }

    /** The inner product with x, summed in float64. */
    public double dot(FloatArray x) {
        requireSameLength("x", x.length());
        float[] ys = new float[Math.min(TILE, length())];
        float[] xs = new float[ys.length];
        double sum = 0;
        for (int at = 0; at < length(); at += TILE) {
            int n = Math.min(TILE, length() - at);
            data.get(at, ys, 0, n);
            x.data.get(at, xs, 0, n);
            for (int i = 0; i < n; i++) {
                sum += (double) ys[i] * xs[i];
            }
        }
        return sum;
    }

    private void requireSameLength(String name, int length) {
        if (length != length()) {
            throw new IllegalArgumentException(
                    "length of " + name + ": " + length + " (expected: " + length() + ", the length of this array)");
        }
    }

    @Override
    public void write(int begin, int end, ByteBuffer out) {
        int bytes = (end - begin) * ElementType.FLOAT.size();
        SharedArray.littleEndian(out).asFloatBuffer().put(0, data, begin, end - begin);
        out.position(out.position() + bytes);
    }

    @Override
    public void writeRows(int[] rows, int from, int to, int width, ByteBuffer out) {
        int bytes = Math.multiplyExact(Math.multiplyExact(to - from, width), ElementType.FLOAT.size());
        view(out.slice(out.position(), bytes).order(ByteOrder.LITTLE_ENDIAN)).gather(this, rows, from, to, width);
        out.position(out.position() + bytes);
    }

    @Override
    public void copyFrom(int at, SharedArray source) {
        data.put(at, ((FloatArray) source).data, 0, source.length());
    }

    @Override
    public void copyRows(int to, SharedArray source, int from, int n, int width) {
        FloatArray other = (FloatArray) source;
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
        FloatBuffer from = ((FloatArray) source).data;
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
        FloatBuffer from = ((FloatArray) source).data;
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
        return other instanceof FloatArray that && data.equals(that.data);
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

package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A shared array of float32: a bounds-checked view of on-heap or off-heap memory. Writes to a view change the memory
 * behind it. Not thread-safe: one thread may write, or several threads may read.
 */
public sealed class FloatArray extends SharedArray permits ConvertedFloats {
    /** Elements processed at once. The JIT vectorizes a loop over an on-heap tile, but not a loop over a buffer. */
    static final int TILE = 512;

    /** Elements in a cache line on most machines. */
    private static final int LINE = 64 / Float.BYTES;

    @SuppressWarnings("UnusedVariable") // prevents the JIT from removing reads whose result is not used otherwise
    private float seen;

    private final FloatBuffer data;
    /** The off-heap bytes that {@link #data} views, from {@link #firstByte} on; null if the data is on the heap. */
    private final @Nullable ByteBuffer bytes;

    private final int firstByte;

    /** Marks the rows that are written to; null if no shard's rows are in this memory. */
    private final @Nullable ColumnWrites writes;

    /** The index of this array's first element in the column of the shard. */
    private final int firstInColumn;

    FloatArray(FloatBuffer data) {
        this(data, null, 0, null, 0);
    }

    FloatArray(
            FloatBuffer data,
            @Nullable ByteBuffer bytes,
            int firstByte,
            @Nullable ColumnWrites writes,
            int firstInColumn) {
        this.data = data;
        this.bytes = bytes;
        this.firstByte = firstByte;
        this.writes = writes;
        this.firstInColumn = firstInColumn;
    }

    /** Returns a new on-heap array of n zeros. */
    public static FloatArray allocate(int n) {
        SharedArray.requireLength(n);
        return new FloatArray(FloatBuffer.wrap(new float[n]));
    }

    /** Returns a new on-heap array with a copy of the values. */
    public static FloatArray of(float... values) {
        return new FloatArray(FloatBuffer.wrap(values.clone()));
    }

    /** Returns a view of a whole Java array. */
    public static FloatArray wrap(float[] values) {
        Objects.requireNonNull(values, "values: null (expected: an array)");
        return new FloatArray(FloatBuffer.wrap(values));
    }

    /** Returns a view of n values of a Java array, from index {@code begin}. */
    public static FloatArray wrap(float[] values, int begin, int n) {
        return new FloatArray(FloatBuffer.wrap(values, begin, n).slice());
    }

    /**
     * Returns a view of a buffer's bytes from its position to its limit, little-endian.
     *
     * @throws IllegalArgumentException if the bytes are not a whole number of elements
     */
    public static FloatArray view(ByteBuffer bytes) {
        SharedArray.requireWhole(bytes.remaining(), ElementType.FLOAT);
        return new FloatArray(
                SharedArray.littleEndian(bytes).asFloatBuffer(),
                bytes.isDirect() ? bytes : null,
                bytes.position(),
                null,
                0);
    }

    /** Returns a view of this array, the column of a shard, that marks the rows that are written to. */
    FloatArray marking(ColumnWrites column) {
        return new FloatArray(data, bytes, firstByte, column, 0);
    }

    /** Returns what marks the rows that are written to; null if no shard's rows are in this memory. */
    final @Nullable ColumnWrites writes() {
        return writes;
    }

    /** Returns the index of an element in the column of the shard. */
    final int inColumn(int i) {
        return firstInColumn + i;
    }

    /** Marks the rows of elements that are written to. */
    final void mark(int begin, int n) {
        if (writes != null && writes.isOn()) {
            writes.mark(firstInColumn + Objects.checkFromIndexSize(begin, n, length()), n);
        }
    }

    /** Marks rows, [_, width] of this array, that are written to. */
    final void markRows(int[] rows, int from, int n, int width) {
        if (writes != null && writes.isOn()) {
            writes.markRows(rows, from, n, width, length() / Math.max(1, width), firstInColumn);
        }
    }

    /** Returns the type of the values in memory, {@code FLOAT32} unless the array is a view of another one. */
    public FloatType stored() {
        return FloatType.FLOAT32;
    }

    /** Returns a view of this array that rounds to the nearest; this array itself unless it rounds at random. */
    public FloatArray nearest() {
        return this;
    }

    /**
     * Returns the off-heap bytes behind this array, little-endian, for vector instructions; null if the array is on the
     * heap, or its values are {@link #stored} in another type than float32.
     *
     * <p>If the array is a view of a shard's rows, all of its rows count as changed, and the next incremental save
     * writes them. So a handler takes the bytes of the rows that it writes to, in each call, and keeps none for later
     * calls: writes to them would be missing in a checkpoint.
     */
    public @Nullable ByteBuffer offHeap() {
        mark(0, length());
        return memory();
    }

    /** Returns the bytes as {@link #offHeap} does. Marks no row. */
    @Nullable
    ByteBuffer memory() {
        if (bytes == null) {
            return null;
        }
        ByteBuffer whole =
                bytes.limit() == bytes.capacity() ? bytes : bytes.duplicate().clear();
        return whole.slice(firstByte, length() * ElementType.FLOAT.size()).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns this array's memory; a copy of the values if they are {@link #stored} in another type than float32. */
    FloatBuffer floats() {
        return data;
    }

    @Override
    public int length() {
        return data.capacity();
    }

    @Override
    public ElementType type() {
        return ElementType.FLOAT;
    }

    /** Returns element i. */
    public float get(int i) {
        return data.get(i);
    }

    /** Sets element i. */
    public void set(int i, float value) {
        if (writes != null && writes.needs(firstInColumn + i)) {
            mark(i, 1);
        }
        data.put(i, value);
    }

    @Override
    public FloatArray slice(int begin, int end) {
        return new FloatArray(
                data.slice(begin, end - begin),
                bytes,
                firstByte + begin * ElementType.FLOAT.size(),
                writes,
                firstInColumn + begin);
    }

    @Override
    public FloatArray copy() {
        return wrap(toArray());
    }

    /** Returns a new Java array with a copy of the values. */
    public float[] toArray() {
        float[] values = new float[length()];
        copyTo(0, values, 0, values.length);
        return values;
    }

    /** Copies all values to the beginning of a Java array, which must be at least as long. */
    public void copyTo(float[] target) {
        copyTo(0, target, 0, length());
    }

    /** Copies n values, from index {@code begin}, into a Java array, from index {@code at}. */
    public void copyTo(int begin, float[] target, int at, int n) {
        data.get(begin, target, at, n);
    }

    /**
     * Copies rows of this array, [_, width], to the beginning of a Java array, one after the other.
     *
     * @param rows the numbers of the rows
     * @param from the index of the first of {@code rows} to copy
     * @param n the number of {@code rows} to copy
     * @param width elements in a row
     * @param target [at least n, width]
     */
    public void copyRowsTo(int[] rows, int from, int n, int width, float[] target) {
        RowCopies.copyRows(data, rows, from, n, width, target);
    }

    /**
     * Copies rows back to where {@link #copyRowsTo} takes them from. If a row number occurs more than once, the last
     * copy of the row remains.
     */
    public void copyRowsFrom(int[] rows, int from, int n, int width, float[] source) {
        markRows(rows, from, n, width);
        RowCopies.copyRowsBack(source, data, rows, from, n, width, part(width));
    }

    /** Returns the number of elements of a row, [_, width], to copy to this array at once. */
    private int part(int width) {
        boolean aligned = bytes != null
                && width * ElementType.FLOAT.size() % RowCopies.ALIGNED == 0
                && bytes.alignmentOffset(firstByte, RowCopies.ALIGNED) == 0;
        return RowCopies.part(width, ElementType.FLOAT.size(), aligned);
    }

    /** Copies all values to the beginning of another array, which must be at least as long. */
    public void copyTo(FloatArray target) {
        target.copyFrom(0, this);
    }

    /** Copies n values of a Java array, from index {@code begin}, into this array, from index {@code at}. */
    public void copyFrom(int at, float[] source, int begin, int n) {
        mark(at, n);
        data.put(at, source, begin, n);
    }

    /** Copies all values of another array to the beginning of this array. */
    public void copyFrom(FloatArray source) {
        source.copyTo(this);
    }

    /**
     * Loads values into the processor's cache, so that the loads overlap with other computation. A loop that first
     * waits for each tile of memory and then computes does the two one after the other.
     *
     * @param begin the index of the first value
     * @param n the number of values; none if negative
     * @throws IndexOutOfBoundsException if a value that this method reads, one per cache line, is out of bounds
     */
    public void prefetch(int begin, int n) {
        float sum = 0;
        for (int i = 0; i < n; i += LINE) {
            sum += data.get(begin + i);
        }
        seen = sum;
    }

    /**
     * Returns how many rows to {@link #prefetchRows} at a time, so that they are still in the first-level cache when
     * they are used.
     *
     * @param width elements in a row
     * @param arrays the number of arrays of which the rows are used together, such as values and slots
     */
    public static int rowsToPrefetch(int width, int arrays) {
        return RowLoads.ahead(width * ElementType.FLOAT.size(), arrays);
    }

    /**
     * Loads rows of this array, [_, width], into the processor's cache, many at a time. A loop over rows at random
     * waits for each of them. Does nothing if the array is on the heap, or small enough to be in the cache, or the rows
     * are long.
     *
     * @param rows the numbers of the rows
     * @param from the index of the first of {@code rows} to load
     * @param n the number of {@code rows} to load
     * @param width elements in a row
     * @throws IndexOutOfBoundsException if a row that is loaded is not in the array's memory
     */
    public void prefetchRows(int[] rows, int from, int n, int width) {
        int size = ElementType.FLOAT.size();
        if (bytes != null && RowLoads.areWorthIt((long) length() * size, width * size)) {
            boolean beginsAtLine = bytes.alignmentOffset(firstByte, RowLoads.LINE) == 0;
            seen = RowLoads.load(data, beginsAtLine, rows, from, from + n, width);
        }
    }

    /** Sets every element to a value. */
    public void fill(float value) {
        float[] tile = new float[Math.min(TILE, length())];
        Arrays.fill(tile, value);
        for (int at = 0; at < length(); at += TILE) {
            copyFrom(at, tile, 0, Math.min(TILE, length() - at));
        }
    }

    /** Adds a times x to this array, element by element: y += a x. */
    public void addScaled(float a, FloatArray x) {
        SharedArray.requireLength("x", x.length(), length());
        float[] ys = new float[Math.min(TILE, length())];
        float[] xs = new float[ys.length];
        for (int at = 0; at < length(); at += TILE) {
            int n = Math.min(TILE, length() - at);
            copyTo(at, ys, 0, n);
            x.copyTo(at, xs, 0, n);
            for (int i = 0; i < n; i++) {
                ys[i] += a * xs[i];
            }
            copyFrom(at, ys, 0, n);
        }
    }

    /** Multiplies every element by a. */
    public void scale(float a) {
        float[] ys = new float[Math.min(TILE, length())];
        for (int at = 0; at < length(); at += TILE) {
            int n = Math.min(TILE, length() - at);
            copyTo(at, ys, 0, n);
            for (int i = 0; i < n; i++) {
                ys[i] *= a;
            }
            copyFrom(at, ys, 0, n);
        }
    }

    /** Returns the inner product with x, summed in float64. */
    public double dot(FloatArray x) {
        SharedArray.requireLength("x", x.length(), length());
        float[] ys = new float[Math.min(TILE, length())];
        float[] xs = new float[ys.length];
        double sum = 0;
        for (int at = 0; at < length(); at += TILE) {
            int n = Math.min(TILE, length() - at);
            copyTo(at, ys, 0, n);
            x.copyTo(at, xs, 0, n);
            for (int i = 0; i < n; i++) {
                sum += (double) ys[i] * xs[i];
            }
        }
        return sum;
    }

    @Override
    void write(int begin, int end, ByteBuffer out) {
        int bytes = (end - begin) * ElementType.FLOAT.size();
        SharedArray.littleEndian(out).asFloatBuffer().put(0, data, begin, end - begin);
        out.position(out.position() + bytes);
    }

    @Override
    void writeRows(int[] rows, int from, int to, int width, ByteBuffer out) {
        int bytes = Math.multiplyExact(Math.multiplyExact(to - from, width), ElementType.FLOAT.size());
        view(out.slice(out.position(), bytes).order(ByteOrder.LITTLE_ENDIAN)).gather(this, rows, from, to, width);
        out.position(out.position() + bytes);
    }

    @Override
    public void copyFrom(int at, SharedArray source) {
        mark(at, source.length());
        if (source instanceof ConvertedFloats other) {
            ConvertedFloats.copy(this, at, other);
        } else {
            data.put(at, ((FloatArray) source).data, 0, source.length());
        }
    }

    @Override
    public void copyRows(int to, SharedArray source, int from, int n, int width) {
        FloatArray other = (FloatArray) source;
        SharedArray.requireRows(to, n, width, length());
        SharedArray.requireRows(from, n, width, other.length());
        mark(to * width, n * width);
        if (other instanceof ConvertedFloats) {
            copyFrom(to * width, other.slice(from * width, (from + n) * width));
        } else if (n == 1 && width == 1) {
            data.put(to, other.data.get(from));
        } else {
            data.put(to * width, other.data, from * width, n * width);
        }
    }

    @Override
    public void gather(SharedArray source, int[] rows, int begin, int end, int width) {
        mark(0, Math.multiplyExact(end - begin, width));
        if (source instanceof ConvertedFloats other) {
            ConvertedFloats.gather(this, other, rows, begin, end, width);
            return;
        }
        FloatBuffer from = ((FloatArray) source).data;
        int limit = from.capacity() / width;
        if (SharedArray.areTogether(rows, begin, end)) {
            SharedArray.gatherTogether(this, source, rows, begin, end, width);
        } else if (width == 1) {
            for (int i = begin; i < end; i++) {
                data.put(i - begin, from.get(rows[i]));
            }
        } else {
            int ahead = rowsToPrefetch(width, 1);
            int part = part(width);
            for (int i = begin; i < end; ) {
                int loaded = Math.min(end, i + ahead);
                ((FloatArray) source).prefetchRows(rows, i, loaded - i, width);
                for (; i < loaded; i++) {
                    int row = Objects.checkIndex(rows[i], limit);
                    RowCopies.copy(from, row * width, data, (i - begin) * width, width, part);
                }
            }
        }
    }

    @Override
    public void scatter(SharedArray source, int[] rows, int begin, int end, int width) {
        markRows(rows, begin, end - begin, width);
        if (source instanceof ConvertedFloats other) {
            ConvertedFloats.scatter(this, other, rows, begin, end, width);
            return;
        }
        FloatBuffer from = ((FloatArray) source).data;
        int limit = data.capacity() / width;
        if (SharedArray.areTogether(rows, begin, end)) {
            SharedArray.scatterTogether(this, source, rows, begin, end, width);
        } else if (width == 1) {
            for (int i = begin; i < end; i++) {
                data.put(rows[i], from.get(i - begin));
            }
        } else {
            int part = part(width);
            for (int i = begin; i < end; i++) {
                int row = Objects.checkIndex(rows[i], limit);
                RowCopies.copy(from, (i - begin) * width, data, row * width, width, part);
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FloatArray that && floats().equals(that.floats());
    }

    @Override
    public int hashCode() {
        return floats().hashCode();
    }

    @Override
    public String toString() {
        return SharedArray.text(this, i -> String.valueOf(get(i)));
    }
}

package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An array of float32 whose values have another type in memory. They are converted a tile at a time. */
abstract sealed class ConvertedFloats extends FloatArray permits HalfFloats, ReadOnlyFloats {
    private static final FloatBuffer NO_FLOATS = FloatBuffer.allocate(0);

    /** A heap tile of converted values. One for each thread. */
    private static final ThreadLocal<float[]> FLOATS = ThreadLocal.withInitial(() -> new float[TILE]);

    ConvertedFloats(@Nullable ColumnWrites writes, int firstInColumn) {
        super(NO_FLOATS, null, 0, writes, firstInColumn);
    }

    /** Returns this thread's tile of converted values. */
    static float[] floatTile() {
        return FLOATS.get();
    }

    @Override
    public final @Nullable ByteBuffer offHeap() {
        return null;
    }

    @Override
    final @Nullable ByteBuffer memory() {
        return null;
    }

    @Override
    final FloatBuffer floats() {
        return FloatBuffer.wrap(toArray());
    }

    @Override
    public final void prefetch(int begin, int n) {
        // The conversion reads the values soon enough: a tile of them is at most half as long.
    }

    @Override
    final void write(int begin, int end, ByteBuffer out) {
        int bytes = (end - begin) * Float.BYTES;
        FloatArray.view(out.slice(out.position(), bytes).order(ByteOrder.LITTLE_ENDIAN))
                .copyFrom(0, slice(begin, end));
        out.position(out.position() + bytes);
    }

    /** True if an array is a view of a Java array of float32. */
    static boolean isOnHeap(FloatArray array) {
        return !(array instanceof ConvertedFloats) && array.floats().hasArray();
    }

    /** Copies all values to another array, from index {@code at}. One of the two is converted. */
    static void copy(FloatArray target, int at, FloatArray source) {
        if (isOnHeap(target)) {
            Objects.checkFromIndexSize(at, source.length(), target.length());
            FloatBuffer into = target.floats();
            source.copyTo(0, into.array(), into.arrayOffset() + at, source.length());
            return;
        }
        float[] floats = floatTile();
        for (int i = 0; i < source.length(); i += TILE) {
            int some = Math.min(TILE, source.length() - i);
            source.copyTo(i, floats, 0, some);
            target.copyFrom(at + i, floats, 0, some);
        }
    }

    /** Implements {@link SharedArray#gather} for arrays of which at least one is converted. */
    static void gather(FloatArray target, FloatArray source, int[] rows, int begin, int end, int width) {
        if (width > TILE) {
            for (int i = begin; i < end; i++) {
                target.copyRows(i - begin, source, rows[i], 1, width);
            }
        } else {
            float[] floats = floatTile();
            int most = TILE / width;
            for (int i = begin; i < end; i += most) {
                int some = Math.min(most, end - i);
                source.prefetchRows(rows, i, some, width);
                source.copyRowsTo(rows, i, some, width, floats);
                target.copyFrom((i - begin) * width, floats, 0, some * width);
            }
        }
    }

    /** Scatters this array's first rows to rows of a Java array. */
    private void decodeRows(FloatArray target, int[] rows, int begin, int end, int width) {
        FloatBuffer values = target.floats();
        float[] tile = floatTile();
        int limit = target.length() / width;
        int most = TILE / width;
        for (int i = begin; i < end; i += most) {
            int some = Math.min(most, end - i);
            copyTo((i - begin) * width, tile, 0, some * width);
            for (int k = 0; k < some; k++) {
                int to = values.arrayOffset() + Objects.checkIndex(rows[i + k], limit) * width;
                System.arraycopy(tile, k * width, values.array(), to, width);
            }
        }
    }

    /** Implements {@link SharedArray#scatter} for arrays of which at least one is converted. */
    static void scatter(FloatArray target, FloatArray source, int[] rows, int begin, int end, int width) {
        if (width > TILE) {
            for (int i = begin; i < end; i++) {
                target.copyRows(rows[i], source, i - begin, 1, width);
            }
            return;
        } else if (source instanceof ConvertedFloats from && isOnHeap(target)) {
            from.decodeRows(target, rows, begin, end, width);
            return;
        }
        float[] floats = floatTile();
        int most = TILE / width;
        for (int i = begin; i < end; i += most) {
            int some = Math.min(most, end - i);
            source.copyTo((i - begin) * width, floats, 0, some * width);
            target.copyRowsFrom(rows, i, some, width, floats);
        }
    }
}

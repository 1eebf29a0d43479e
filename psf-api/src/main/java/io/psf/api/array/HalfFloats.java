package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An array of float32 whose values have 16 bits in memory. They are converted a tile at a time. */
final class HalfFloats extends FloatArray {
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);
    private static final FloatBuffer NO_FLOATS = FloatBuffer.allocate(0);

    private final ShortBuffer data;
    private final FloatType type;
    /** Null if values are rounded to the nearest. */
    private final @Nullable RandomBits random;

    private HalfFloats(ShortBuffer data, FloatType type, @Nullable RandomBits random) {
        super(NO_FLOATS);
        this.data = data;
        this.type = type;
        this.random = random;
    }

    static HalfFloats view(ByteBuffer bytes, FloatType type, @Nullable RandomBits random) {
        if (!type.isHalf()) {
            throw new IllegalArgumentException("type: " + type + " (expected: FLOAT16 or BFLOAT16)");
        }
        if (bytes.remaining() % Short.BYTES != 0) {
            throw new IllegalArgumentException(
                    "bytes: " + bytes.remaining() + " (expected: a multiple of 2, the size of " + type + ")");
        }
        return new HalfFloats(SharedArray.littleEndian(bytes).asShortBuffer(), type, random);
    }

    /** The heap tiles through which values are converted. One for each thread. */
    private static final class Scratch {
        final short[] halves = new short[TILE];
        final float[] floats = new float[TILE];
    }

    @Override
    public FloatType stored() {
        return type;
    }

    @Override
    public FloatArray nearest() {
        return random == null ? this : new HalfFloats(data, type, null);
    }

    @Override
    public @Nullable ByteBuffer offHeap() {
        return null;
    }

    @Override
    FloatBuffer floats() {
        return FloatBuffer.wrap(toArray());
    }

    /** True if an array is a view of a Java array of float32. */
    private static boolean isOnHeap(FloatArray array) {
        return !(array instanceof HalfFloats) && array.floats().hasArray();
    }

    @Override
    public int length() {
        return data.capacity();
    }

    @Override
    public float get(int i) {
        return Halves.decode(type, data.get(i));
    }

    @Override
    public void set(int i, float value) {
        copyFrom(i, new float[] {value}, 0, 1);
    }

    @Override
    public FloatArray slice(int begin, int end) {
        return new HalfFloats(data.slice(begin, end - begin), type, random);
    }

    @Override
    public void copyTo(int begin, float[] target, int at, int n) {
        short[] halves = SCRATCH.get().halves;
        for (int i = 0; i < n; i += TILE) {
            int some = Math.min(TILE, n - i);
            data.get(begin + i, halves, 0, some);
            Halves.decode(type, halves, some, target, at + i);
        }
    }

    @Override
    public void copyFrom(int at, float[] source, int begin, int n) {
        short[] halves = SCRATCH.get().halves;
        for (int i = 0; i < n; i += TILE) {
            int some = Math.min(TILE, n - i);
            if (random == null) {
                Halves.encode(type, source, begin + i, some, halves);
            } else {
                Halves.encode(type, source, begin + i, some, halves, random);
            }
            data.put(at + i, halves, 0, some);
        }
    }

    @Override
    public void copyRowsTo(int[] rows, int from, int n, int width, float[] target) {
        if (width > TILE) {
            for (int i = 0; i < n; i++) {
                copyTo(rows[from + i] * width, target, i * width, width);
            }
            return;
        }
        short[] halves = SCRATCH.get().halves;
        int most = TILE / width;
        for (int i = 0; i < n; i += most) {
            int some = Math.min(most, n - i);
            for (int row = 0; row < some; row++) {
                data.get(rows[from + i + row] * width, halves, row * width, width);
            }
            Halves.decode(type, halves, some * width, target, i * width);
        }
    }

    @Override
    public void copyRowsFrom(int[] rows, int from, int n, int width, float[] source) {
        for (int i = 0; i < n; i++) {
            copyFrom(rows[from + i] * width, source, i * width, width);
        }
    }

    @Override
    public void prefetch(int begin, int n) {
        // The conversion reads the values soon enough: a tile of them is half as long.
    }

    @Override
    public void write(int begin, int end, ByteBuffer out) {
        int bytes = (end - begin) * Float.BYTES;
        FloatArray.view(out.slice(out.position(), bytes).order(ByteOrder.LITTLE_ENDIAN))
                .copyFrom(0, slice(begin, end));
        out.position(out.position() + bytes);
    }

    @Override
    public void copyFrom(int at, SharedArray source) {
        if (source instanceof HalfFloats half && half.type == type) {
            data.put(at, half.data, 0, half.length());
        } else {
            copy(this, at, (FloatArray) source);
        }
    }

    /** Copies all values to another array, from index {@code at}. One of the two has 16 bits. */
    static void copy(FloatArray target, int at, FloatArray source) {
        if (isOnHeap(target)) {
            Objects.checkFromIndexSize(at, source.length(), target.length());
            FloatBuffer into = target.floats();
            source.copyTo(0, into.array(), into.arrayOffset() + at, source.length());
            return;
        }
        float[] floats = SCRATCH.get().floats;
        for (int i = 0; i < source.length(); i += TILE) {
            int some = Math.min(TILE, source.length() - i);
            source.copyTo(i, floats, 0, some);
            target.copyFrom(at + i, floats, 0, some);
        }
    }

    @Override
    public void copyRows(int to, SharedArray source, int from, int n, int width) {
        SharedArray.requireRows(to, n, width, length());
        SharedArray.requireRows(from, n, width, source.length());
        copyFrom(to * width, source.slice(from * width, (from + n) * width));
    }

    @Override
    public void gather(SharedArray source, int[] rows, int begin, int end, int width) {
        gather(this, (FloatArray) source, rows, begin, end, width);
    }

    @Override
    public void scatter(SharedArray source, int[] rows, int begin, int end, int width) {
        scatter(this, (FloatArray) source, rows, begin, end, width);
    }

    /** Implements {@link SharedArray#gather} for arrays of which at least one has 16 bits. */
    static void gather(FloatArray target, FloatArray source, int[] rows, int begin, int end, int width) {
        if (width > TILE) {
            for (int i = begin; i < end; i++) {
                target.copyRows(i - begin, source, rows[i], 1, width);
            }
        } else if (target instanceof HalfFloats to && source instanceof HalfFloats from && to.type == from.type) {
            for (int i = begin; i < end; i++) {
                to.data.put((i - begin) * width, from.data, rows[i] * width, width);
            }
        } else if (target instanceof HalfFloats to && isOnHeap(source)) {
            to.encodeRows(source, rows, begin, end, width);
        } else {
            float[] floats = SCRATCH.get().floats;
            int most = TILE / width;
            for (int i = begin; i < end; i += most) {
                int some = Math.min(most, end - i);
                source.copyRowsTo(rows, i, some, width, floats);
                target.copyFrom((i - begin) * width, floats, 0, some * width);
            }
        }
    }

    /** Gathers rows of a Java array. Long tiles are converted: the JIT vectorizes loops of many iterations only. */
    private void encodeRows(FloatArray source, int[] rows, int begin, int end, int width) {
        FloatBuffer values = source.floats();
        float[] tile = SCRATCH.get().floats;
        int limit = source.length() / width;
        int most = TILE / width;
        for (int i = begin; i < end; i += most) {
            int some = Math.min(most, end - i);
            for (int k = 0; k < some; k++) {
                int from = values.arrayOffset() + Objects.checkIndex(rows[i + k], limit) * width;
                System.arraycopy(values.array(), from, tile, k * width, width);
            }
            copyFrom((i - begin) * width, tile, 0, some * width);
        }
    }

    /** Scatters this array's first rows to rows of a Java array. */
    private void decodeRows(FloatArray target, int[] rows, int begin, int end, int width) {
        FloatBuffer values = target.floats();
        float[] tile = SCRATCH.get().floats;
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

    /** Implements {@link SharedArray#scatter} for arrays of which at least one has 16 bits. */
    static void scatter(FloatArray target, FloatArray source, int[] rows, int begin, int end, int width) {
        if (width > TILE) {
            for (int i = begin; i < end; i++) {
                target.copyRows(rows[i], source, i - begin, 1, width);
            }
            return;
        } else if (source instanceof HalfFloats from && isOnHeap(target)) {
            from.decodeRows(target, rows, begin, end, width);
            return;
        }
        float[] floats = SCRATCH.get().floats;
        int most = TILE / width;
        for (int i = begin; i < end; i += most) {
            int some = Math.min(most, end - i);
            source.copyTo((i - begin) * width, floats, 0, some * width);
            target.copyRowsFrom(rows, i, some, width, floats);
        }
    }
}

package io.psf.api.array;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An array of float32 whose values have 16 bits in memory. They are converted a tile at a time. */
final class HalfFloats extends ConvertedFloats {
    /** The heap tile through which values are converted. One for each thread. */
    private static final ThreadLocal<short[]> HALVES = ThreadLocal.withInitial(() -> new short[TILE]);

    private static final ByteBuffer NO_FACTORS = ByteBuffer.allocateDirect(0);

    @SuppressWarnings("UnusedVariable") // prevents the JIT from removing reads whose result is not used otherwise
    private int seen;

    private final ShortBuffer data;
    private final FloatType type;
    /** Null if values are rounded to the nearest. */
    private final @Nullable RandomBits random;

    private HalfFloats(
            ShortBuffer data,
            FloatType type,
            @Nullable RandomBits random,
            @Nullable ColumnWrites writes,
            int firstInColumn) {
        super(writes, firstInColumn);
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
        return new HalfFloats(SharedArray.littleEndian(bytes).asShortBuffer(), type, random, null, 0);
    }

    /** Returns the memory; null if it is on the heap. Marks all rows, as {@link #offHeap} does. */
    @Nullable
    EncodedFloats encoded() {
        mark(0, length());
        return data.isDirect() ? new EncodedFloats(type, data, NO_FACTORS, 0, 0) : null;
    }

    @Override
    public FloatType stored() {
        return type;
    }

    @Override
    public FloatArray nearest() {
        return random == null ? this : new HalfFloats(data, type, null, writes(), inColumn(0));
    }

    @Override
    FloatArray marking(ColumnWrites column) {
        return new HalfFloats(data, type, random, column, 0);
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
        return new HalfFloats(data.slice(begin, end - begin), type, random, writes(), inColumn(begin));
    }

    @Override
    public void copyTo(int begin, float[] target, int at, int n) {
        short[] halves = HALVES.get();
        for (int i = 0; i < n; i += TILE) {
            int some = Math.min(TILE, n - i);
            data.get(begin + i, halves, 0, some);
            Halves.decode(type, halves, some, target, at + i);
        }
    }

    @Override
    public void copyFrom(int at, float[] source, int begin, int n) {
        mark(at, n);
        short[] halves = HALVES.get();
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
        short[] halves = HALVES.get();
        int most = TILE / width;
        int part = RowCopies.part(width, Short.BYTES, false);
        for (int i = 0; i < n; i += most) {
            int some = Math.min(most, n - i);
            for (int row = 0; row < some; row++) {
                RowCopies.copy(data, rows[from + i + row] * width, halves, row * width, width, part);
            }
            Halves.decode(type, halves, some * width, target, i * width);
        }
    }

    @Override
    public void prefetchRows(int[] rows, int from, int n, int width) {
        if (data.isDirect() && RowLoads.areWorthIt((long) length() * Short.BYTES, width * Short.BYTES)) {
            seen = RowLoads.load(data, rows, from, from + n, width);
        }
    }

    @Override
    public void copyRowsFrom(int[] rows, int from, int n, int width, float[] source) {
        for (int i = 0; i < n; i++) {
            copyFrom(rows[from + i] * width, source, i * width, width);
        }
    }

    @Override
    public void copyFrom(int at, SharedArray source) {
        mark(at, source.length());
        if (source instanceof HalfFloats half && half.type == type) {
            data.put(at, half.data, 0, half.length());
        } else {
            copy(this, at, (FloatArray) source);
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
        mark(0, Math.multiplyExact(end - begin, width));
        if (width <= TILE && source instanceof HalfFloats from && from.type == type) {
            int ahead = RowLoads.ahead(width * Short.BYTES, 1);
            int part = RowCopies.part(width, Short.BYTES, false);
            for (int i = begin; i < end; ) {
                int loaded = Math.min(end, i + ahead);
                from.prefetchRows(rows, i, loaded - i, width);
                for (; i < loaded; i++) {
                    RowCopies.copy(from.data, rows[i] * width, data, (i - begin) * width, width, part);
                }
            }
        } else if (width <= TILE && isOnHeap((FloatArray) source)) {
            encodeRows((FloatArray) source, rows, begin, end, width);
        } else {
            gather(this, (FloatArray) source, rows, begin, end, width);
        }
    }

    @Override
    public void scatter(SharedArray source, int[] rows, int begin, int end, int width) {
        scatter(this, (FloatArray) source, rows, begin, end, width);
    }

    /** Gathers rows of a Java array. Long tiles are converted: the JIT vectorizes loops of many iterations only. */
    private void encodeRows(FloatArray source, int[] rows, int begin, int end, int width) {
        FloatBuffer values = source.floats();
        float[] tile = floatTile();
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
}

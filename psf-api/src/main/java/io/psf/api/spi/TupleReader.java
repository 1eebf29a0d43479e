package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.ElementType;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the components of a tuple, in their order, from the body of a frame as {@link TupleWriter} draws it. Every
 * length is checked against the body before anything is read or allocated. Shared arrays are views of the body, or
 * copies if {@link #copying()} was asked for. Not thread-safe.
 */
public final class TupleReader {
    private static final ElementType[] TYPES = ElementType.values();
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final short[] NO_STAMPS = {};

    private ByteBuffer body = NOTHING;
    private int begin;
    private int blockLength;
    private int arrays;
    private int version;
    private @Nullable TensorId target;
    private int at;
    private int array;
    private int arrayAt;
    private boolean copying;
    private short[] stamps = NO_STAMPS;
    private int stamped;

    /** A reader of nothing, until it {@link #begin begins}. */
    public TupleReader() {}

    /**
     * Begins to read a body.
     *
     * @param body from its position to its limit
     * @param blockLength bytes of the block, as the frame says
     * @param arrays how many shared arrays, as the frame says
     * @param version the schema version of the peer that wrote it
     * @param target the tensor that the frame is for, if any
     * @throws PsException with {@code PROTOCOL} if block, table and arrays do not make up the body
     */
    public TupleReader(ByteBuffer body, int blockLength, int arrays, int version, @Nullable TensorId target) {
        begin(body, body.position(), body.limit(), blockLength, arrays, version, target);
    }

    /**
     * Begins to read a body that lies within something larger, whatever was read before.
     *
     * @param bytes whose position plays no part, and is left alone
     * @param begin where the body begins
     * @param end one past its last byte
     * @param blockLength bytes of the block, as the frame says
     * @param arrays how many shared arrays, as the frame says
     * @param version the schema version of the peer that wrote it
     * @param target the tensor that the frame is for, if any
     * @return this reader
     * @throws PsException with {@code PROTOCOL} if block, table and arrays do not make up the body
     */
    public TupleReader begin(
            ByteBuffer bytes, int begin, int end, int blockLength, int arrays, int version, @Nullable TensorId target) {
        this.at = 0;
        this.array = 0;
        this.copying = false;
        this.stamped = 0;
        this.body = SharedArray.littleEndian(bytes);
        this.begin = begin;
        this.blockLength = blockLength;
        this.arrays = arrays;
        this.version = version;
        this.target = target;
        long length = (long) end - begin;
        if (blockLength < 0 || arrays < 0 || TupleWriter.align(blockLength) + 8L * arrays > length) {
            throw malformed("block of " + blockLength + " bytes and " + arrays + " arrays in a body of " + length);
        }
        long used = TupleWriter.align(blockLength) + 8L * arrays;
        this.arrayAt = begin + (int) used;
        for (int i = 0; i < arrays; i++) {
            int type = this.body.getInt(entry(i));
            int elements = this.body.getInt(entry(i) + 4);
            if (type < 0 || type >= TYPES.length || elements < 0) {
                throw malformed("array " + i + " of type " + type + " with " + elements + " elements");
            }
            used += TupleWriter.align((long) elements * TYPES[type].size());
        }
        if (used != length) {
            throw malformed("block and arrays of " + used + " bytes in a body of " + length);
        }
        return this;
    }

    /** From now on shared arrays are read as copies on the heap, which may be kept. */
    public TupleReader copying() {
        copying = true;
        return this;
    }

    /** Reads which layout of another tensor the keys that follow are grouped by; {@link #stamp} answers it. */
    public TupleReader stamped() {
        if (stamped == stamps.length) {
            stamps = Arrays.copyOf(stamps, stamped + 1);
        }
        stamps[stamped++] = i16();
        return this;
    }

    /** How many key sets of other tensors have been read. */
    public int stamps() {
        return stamped;
    }

    /** {@link TensorLayout#stamp} of the layout that key set {@code i} of those of other tensors is grouped by. */
    public short stamp(int i) {
        return stamps[Objects.checkIndex(i, stamped)];
    }

    /** Whether the peer knows the components of a schema version. */
    public boolean has(int since) {
        return version >= since;
    }

    /** The tensor that the frame is for. */
    public TensorId target() {
        if (target == null) {
            throw malformed("no tensor");
        }
        return target;
    }

    public boolean bool() {
        byte value = i8();
        if (value != 0 && value != 1) {
            throw malformed("boolean: " + value);
        }
        return value == 1;
    }

    public byte i8() {
        return body.get(take(1));
    }

    public short i16() {
        return body.getShort(take(2));
    }

    public int i32() {
        return body.getInt(take(4));
    }

    public long i64() {
        return body.getLong(take(8));
    }

    public float f32() {
        return body.getFloat(take(4));
    }

    public double f64() {
        return body.getDouble(take(8));
    }

    public String string() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    public <E extends Enum<E>> E enumeration(E[] constants) {
        int ordinal = i32();
        if (ordinal < 0 || ordinal >= constants.length) {
            throw malformed("enum constant number: " + ordinal + " (expected: below " + constants.length + ")");
        }
        return constants[ordinal];
    }

    public TensorId tensor() {
        String name = string();
        try {
            return TensorId.of(name);
        } catch (IllegalArgumentException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The number of elements of what follows.
     *
     * @param size the least bytes that an element takes, at least 1
     */
    public int count(int size) {
        int n = i32();
        if (n < 0 || (long) n * size > blockLength - at) {
            throw malformed("count: " + n + " elements with " + (blockLength - at) + " bytes left");
        }
        return n;
    }

    public byte[] bytes() {
        byte[] values = new byte[count(1)];
        body.get(take(values.length), values);
        return values;
    }

    public int[] ints() {
        int[] values = new int[count(4)];
        copied(4 * values.length).asIntBuffer().get(values);
        return values;
    }

    public long[] longs() {
        long[] values = new long[count(8)];
        copied(8 * values.length).asLongBuffer().get(values);
        return values;
    }

    public float[] floats() {
        float[] values = new float[count(4)];
        copied(4 * values.length).asFloatBuffer().get(values);
        return values;
    }

    public double[] doubles() {
        double[] values = new double[count(8)];
        copied(8 * values.length).asDoubleBuffer().get(values);
        return values;
    }

    public FloatArray floatArray() {
        FloatArray view = FloatArray.view(next(ElementType.FLOAT));
        return copying ? view.copy() : view;
    }

    public DoubleArray doubleArray() {
        DoubleArray view = DoubleArray.view(next(ElementType.DOUBLE));
        return copying ? view.copy() : view;
    }

    public IntArray intArray() {
        IntArray view = IntArray.view(next(ElementType.INT));
        return copying ? view.copy() : view;
    }

    public LongArray longArray() {
        LongArray view = LongArray.view(next(ElementType.LONG));
        return copying ? view.copy() : view;
    }

    public ByteArray byteArray() {
        ByteArray view = ByteArray.view(next(ElementType.BYTE));
        return copying ? view.copy() : view;
    }

    private ByteBuffer next(ElementType expected) {
        if (array == arrays) {
            throw malformed("arrays: " + arrays + " (expected: more)");
        }
        ElementType type = TYPES[body.getInt(entry(array))];
        if (type != expected) {
            throw malformed("array " + array + ": " + type + " (expected: " + expected + ")");
        }
        int bytes = body.getInt(entry(array) + 4) * type.size();
        ByteBuffer view = body.slice(arrayAt, bytes).order(ByteOrder.LITTLE_ENDIAN);
        arrayAt += (int) TupleWriter.align(bytes);
        array++;
        return view;
    }

    private ByteBuffer copied(int bytes) {
        return body.slice(take(bytes), bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private int entry(int i) {
        return begin + (int) TupleWriter.align(blockLength) + 8 * i;
    }

    private int take(int bytes) {
        if (bytes > blockLength - at) {
            throw malformed("bytes in the block: " + blockLength + " (expected: more)");
        }
        int from = begin + at;
        at += bytes;
        return from;
    }

    private static PsException malformed(String what) {
        return new PsException(PsException.Code.PROTOCOL, "tuple: " + what);
    }
}

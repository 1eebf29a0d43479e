package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.ElementType;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the components of a tuple, in order, from the body of a frame, whose format is drawn at {@link TupleWriter}.
 * Every length is checked against the body before any read or allocation. Shared arrays are views of the body; those of
 * a reader returned by {@link #keep} are on-heap copies. Not thread-safe.
 */
public final class TupleReader {
    private static final ElementType[] TYPES = ElementType.values();
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final short[] NO_STAMPS = {};
    /** The character that a decoder substitutes for bytes that are not a character. */
    private static final char REPLACEMENT = '\ufffd';

    private ByteBuffer body = NOTHING;
    private int begin;
    private int blockLength;
    private int arrays;
    private int version;
    private @Nullable TensorId target;
    private int at;
    private int array;
    private int arrayAt;
    /** The arrays of a reader returned by {@link #keep}; null if the arrays are in the body. */
    private SharedArray @Nullable [] kept;

    private short[] stamps = NO_STAMPS;
    private int stamped;
    /** Bytes of the sections at the block's end, which have their own readers. */
    private int tail;

    private final TupleReader whole;
    /** The sections by version; null until the first one is found. */
    private @Nullable TupleReader @Nullable [] sections;

    /** Creates a reader of an empty body; {@link #begin} sets another. */
    public TupleReader() {
        whole = this;
    }

    /** Creates a reader of a section. */
    private TupleReader(TupleReader whole) {
        this.whole = whole;
    }

    /**
     * Creates a reader of a body.
     *
     * @param body the body, from its position to its limit
     * @param blockLength bytes of the block, according to the frame
     * @param arrays the number of shared arrays, according to the frame
     * @param version the schema version of the peer that wrote the body
     * @param target the tensor that the frame is for, if any
     * @throws PsException with {@code PROTOCOL} if the block, the table and the arrays do not add up to the body
     */
    public TupleReader(ByteBuffer body, int blockLength, int arrays, int version, @Nullable TensorId target) {
        whole = this;
        begin(body, body.position(), body.limit(), blockLength, arrays, version, target);
    }

    /** Drops the reference to the body, so that its memory can be collected until this reader is used again. */
    public void end() {
        body = NOTHING;
    }

    /**
     * Begins to read a body that is part of a larger buffer, regardless of what was read before.
     *
     * @param bytes the buffer, whose position is neither used nor changed
     * @param begin the index of the body's first byte
     * @param end one past the index of the body's last byte
     * @param blockLength bytes of the block, according to the frame
     * @param arrays the number of shared arrays, according to the frame
     * @param version the schema version of the peer that wrote the body
     * @param target the tensor that the frame is for, if any
     * @return this reader
     * @throws PsException with {@code PROTOCOL} if the block, the table and the arrays do not add up to the body
     */
    public TupleReader begin(
            ByteBuffer bytes, int begin, int end, int blockLength, int arrays, int version, @Nullable TensorId target) {
        this.at = 0;
        this.array = 0;
        this.kept = null;
        this.stamped = 0;
        this.body = SharedArray.littleEndian(bytes);
        this.begin = begin;
        this.blockLength = blockLength;
        this.tail = 0;
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

    /** Returns a reader of the unread rest, copied to the heap. */
    public TupleReader keep() {
        byte[] block = new byte[blockLength - at];
        body.get(begin + at, block);
        SharedArray[] rest = new SharedArray[arrays - array];
        for (int i = 0; i < rest.length; i++) {
            ElementType type = TYPES[body.getInt(entry(array))];
            rest[i] = TupleWriter.view(type, next(type)).copy();
        }
        TupleReader copy = new TupleReader();
        copy.body = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        copy.blockLength = block.length;
        copy.arrays = rest.length;
        copy.kept = rest;
        copy.version = version;
        copy.target = target;
        return copy;
    }

    /**
     * Reads the stamp of the layout of another tensor by which the following keys are grouped; {@link #stamp} returns
     * it.
     */
    public TupleReader stamped() {
        if (stamped == stamps.length) {
            stamps = Arrays.copyOf(stamps, stamped + 1);
        }
        stamps[stamped++] = i16();
        return this;
    }

    /** Returns the number of key sets of other tensors that have been read. */
    public int stamps() {
        return stamped;
    }

    /** Returns the {@link TensorLayout#stamp} of the layout by which the i-th key set of other tensors is grouped. */
    public short stamp(int i) {
        return stamps[Objects.checkIndex(i, stamped)];
    }

    /** True if the peer knows the components of a schema version. */
    public boolean has(int since) {
        return version >= since;
    }

    /**
     * Finds the sections at the block's end, which contain the components of nested records that later versions added.
     * Called before the first read. Does nothing if the peer is too old to have sections.
     *
     * @param first the first version that has a section
     * @param last the last version that this side knows
     */
    public void sections(int first, int last) {
        if (!has(first)) {
            return;
        }
        int n = version - first + 1;
        long end = blockLength - 4L * n;
        if (end < 0) {
            throw malformed("sections: " + n + " in a block of " + blockLength + " bytes");
        }
        TupleReader[] known = sections;
        if (known == null || known.length <= last) {
            known = known == null ? new TupleReader[last + 1] : Arrays.copyOf(known, last + 1);
            sections = known;
        }
        int lengths = begin + (int) end;
        for (int i = n - 1; i >= 0; i--) {
            int length = body.getInt(lengths + 4 * i);
            if (length < 0 || length > end) {
                throw malformed("section " + i + ": " + length + " bytes (expected: 0 to " + end + ")");
            }
            end -= length;
            if (first + i <= last) {
                TupleReader section = known[first + i] == null ? new TupleReader(this) : known[first + i];
                known[first + i] = section;
                section.within(body, begin + (int) end, length, version);
            }
        }
        tail = blockLength - (int) end;
    }

    private void within(ByteBuffer block, int from, int length, int writer) {
        body = block;
        begin = from;
        at = 0;
        blockLength = length;
        version = writer;
    }

    /**
     * Returns the reader of the section with the components of nested records that a version added.
     *
     * @param added a version that the peer {@link #has}
     */
    public TupleReader since(int added) {
        return Objects.requireNonNull(Objects.requireNonNull(whole.sections)[added]);
    }

    /** Returns the tensor that the frame is for. */
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

    /**
     * Reads a text.
     *
     * @throws PsException with {@code PROTOCOL} if the bytes are not UTF-8
     */
    public String string() {
        byte[] bytes = bytes();
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) { // it was in the text, or replaces bytes that are not a character
            requireUtf8(bytes);
        }
        return text;
    }

    private static void requireUtf8(byte[] bytes) {
        ByteBuffer text = ByteBuffer.wrap(bytes);
        try {
            var unused = StandardCharsets.UTF_8.newDecoder().decode(text);
        } catch (CharacterCodingException e) {
            throw malformed("text: byte " + text.position() + " of " + bytes.length + " (expected: UTF-8)");
        }
    }

    /**
     * Reads a constant of an enum.
     *
     * @throws PsException with {@code SCHEMA_MISMATCH} if this side does not have the constant
     */
    public <E extends Enum<E>> E enumeration(E[] constants) {
        int ordinal = ordinal(constants);
        if (ordinal >= constants.length) {
            throw new PsException(
                    PsException.Code.SCHEMA_MISMATCH,
                    "constant of enum " + constants[0].getDeclaringClass().getSimpleName() + ": number " + ordinal
                            + " (expected: 0 to " + (constants.length - 1) + ", one of " + Arrays.toString(constants)
                            + "; the peer's enum is newer, and no constant of this one is @Unknown)");
        }
        return constants[ordinal];
    }

    /**
     * Reads a constant of an enum.
     *
     * @param unknown the constant to return for constants that this side does not have
     */
    public <E extends Enum<E>> E enumeration(E[] constants, E unknown) {
        int ordinal = ordinal(constants);
        return ordinal < constants.length ? constants[ordinal] : unknown;
    }

    private int ordinal(Enum<?>[] constants) {
        int ordinal = i32();
        if (ordinal < 0) {
            throw malformed(
                    "constant of enum " + constants[0].getDeclaringClass().getSimpleName() + ": number " + ordinal
                            + " (expected: 0 to " + (constants.length - 1) + ")");
        }
        return ordinal;
    }

    /**
     * Adds an entry to a map that is being read.
     *
     * @throws PsException with {@code PROTOCOL} if the map already has the key
     */
    public static <V> void put(Map<String, V> map, String key, V value) {
        if (map.put(key, value) != null) {
            throw malformed("map: key \"" + key + "\" twice (expected: once)");
        }
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
     * Reads the number of the elements that follow.
     *
     * @param size the minimum size of an element in bytes, at least 1
     */
    public int count(int size) {
        int n = i32();
        if (n < 0 || (long) n * size > left()) {
            throw malformed("count: " + n + " elements with " + left() + " bytes left");
        }
        return n;
    }

    public byte[] bytes() {
        byte[] values = new byte[count(1)];
        body.get(take(values.length), values);
        return values;
    }

    public boolean[] booleans() {
        boolean[] values = new boolean[count(1)];
        for (int i = 0; i < values.length; i++) {
            values[i] = bool();
        }
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
        return kept == null ? FloatArray.view(next(ElementType.FLOAT)) : (FloatArray) next(kept, ElementType.FLOAT);
    }

    public DoubleArray doubleArray() {
        return kept == null ? DoubleArray.view(next(ElementType.DOUBLE)) : (DoubleArray) next(kept, ElementType.DOUBLE);
    }

    public IntArray intArray() {
        return kept == null ? IntArray.view(next(ElementType.INT)) : (IntArray) next(kept, ElementType.INT);
    }

    public LongArray longArray() {
        return kept == null ? LongArray.view(next(ElementType.LONG)) : (LongArray) next(kept, ElementType.LONG);
    }

    public ByteArray byteArray() {
        return kept == null ? ByteArray.view(next(ElementType.BYTE)) : (ByteArray) next(kept, ElementType.BYTE);
    }

    private SharedArray next(SharedArray[] kept, ElementType expected) {
        requireMore();
        requireType(kept[array].type(), expected);
        return kept[array++];
    }

    private void requireMore() {
        if (array == arrays) {
            throw malformed("arrays: " + arrays + " (expected: more)");
        }
    }

    private void requireType(ElementType type, ElementType expected) {
        if (type != expected) {
            throw malformed("array " + array + ": " + type + " (expected: " + expected + ")");
        }
    }

    private ByteBuffer next(ElementType expected) {
        requireMore();
        ElementType type = TYPES[body.getInt(entry(array))];
        requireType(type, expected);
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

    private int left() {
        return blockLength - tail - at;
    }

    private int take(int bytes) {
        if (bytes > left()) {
            throw malformed("bytes in the block: " + (blockLength - tail) + " (expected: more)");
        }
        int from = begin + at;
        at += bytes;
        return from;
    }

    private static PsException malformed(String what) {
        return new PsException(PsException.Code.PROTOCOL, "tuple: " + what);
    }
}

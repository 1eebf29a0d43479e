package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.ElementType;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the components of a tuple, in order, from the body of a frame, whose format is drawn at {@link TupleWriter}.
 * Every length is checked against the body before any read or allocation. Shared arrays are views of the body; a reader
 * returned by {@link #keep} has on-heap copies. Not thread-safe.
 */
public final class TupleReader extends BlockReader {
    private static final ElementType[] TYPES = ElementType.values();
    private static final short[] NO_STAMPS = {};

    /** Bytes of the block with its sections. */
    private int blockLength;
    /** The index of the array table in the buffer. */
    private int tableAt;

    private int arrays;
    private int version;
    private @Nullable TensorId target;
    private int array;
    private int arrayAt;
    /** The arrays of a reader returned by {@link #keep}; null if the arrays are in the body. */
    private SharedArray @Nullable [] kept;

    private short[] stamps = NO_STAMPS;
    private int stamped;

    private final TupleReader whole;
    /** The sections by version; null until the first one is found. */
    private @Nullable TupleReader @Nullable [] sections;

    /** Creates a reader of an empty body; {@link #begin} sets another. */
    public TupleReader() {
        super(null);
        whole = this;
    }

    /** Creates a reader of a section. */
    private TupleReader(TupleReader whole) {
        super(whole);
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
        this();
        begin(body, body.position(), body.limit(), blockLength, arrays, version, target);
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
        ByteBuffer body = ArrayMemory.littleEndian(bytes);
        block(body, begin, blockLength);
        this.array = 0;
        this.kept = null;
        this.stamped = 0;
        this.blockLength = blockLength;
        this.arrays = arrays;
        this.version = version;
        this.target = target;
        long length = (long) end - begin;
        if (blockLength < 0 || arrays < 0 || TupleWriter.align(blockLength) + 8L * arrays > length) {
            throw malformed("block of " + blockLength + " bytes and " + arrays + " arrays in a body of " + length);
        }
        long used = TupleWriter.align(blockLength) + 8L * arrays;
        this.tableAt = begin + (int) TupleWriter.align(blockLength);
        this.arrayAt = begin + (int) used;
        for (int i = 0; i < arrays; i++) {
            int type = body.getInt(entry(i));
            int elements = body.getInt(entry(i) + 4);
            if (type < 0 || (type >= TYPES.length && !WireFloats.is(type)) || elements < 0) {
                throw malformed("array " + i + " of type " + type + " with " + elements + " elements");
            }
            used += TupleWriter.align(bytes(type, elements));
        }
        if (used != length) {
            throw malformed("block and arrays of " + used + " bytes in a body of " + length);
        }
        return this;
    }

    /** Returns a reader of the unread rest, copied to the heap. */
    public TupleReader keep() {
        ByteBuffer body = buffer();
        byte[] block = new byte[start() + blockLength - position()];
        body.get(position(), block);
        SharedArray[] rest = new SharedArray[arrays - array];
        for (int i = 0; i < rest.length; i++) {
            int type = body.getInt(entry(array));
            rest[i] = (type < TYPES.length ? TupleWriter.view(TYPES[type], next(TYPES[type])) : wireFloats()).copy();
        }
        TupleReader copy = new TupleReader();
        copy.block(ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN), 0, block.length);
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
        ByteBuffer body = buffer();
        int lengths = start() + (int) end;
        for (int i = n - 1; i >= 0; i--) {
            int length = body.getInt(lengths + 4 * i);
            if (length < 0 || length > end) {
                throw malformed("section " + i + ": " + length + " bytes (expected: 0 to " + end + ")");
            }
            end -= length;
            if (first + i <= last) {
                TupleReader section = known[first + i] == null ? new TupleReader(this) : known[first + i];
                known[first + i] = section;
                section.block(body, start() + (int) end, length);
                section.version = version;
            }
        }
        shorten((int) end);
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

    public FloatArray floatArray() {
        return kept == null ? FloatArray.view(next(ElementType.FLOAT)) : (FloatArray) next(kept, ElementType.FLOAT);
    }

    /** Reads an array in any format of float32. */
    public FloatArray wireFloats() {
        if (kept != null) {
            return (FloatArray) next(kept, ElementType.FLOAT);
        }
        requireMore();
        int type = buffer().getInt(entry(array));
        if (!WireFloats.is(type)) {
            return FloatArray.view(next(ElementType.FLOAT));
        }
        int elements = buffer().getInt(entry(array) + 4);
        return WireFloats.read(take((int) WireFloats.bytes(type, elements)), type, elements);
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
        ByteBuffer body = buffer();
        int type = body.getInt(entry(array));
        if (type >= TYPES.length) {
            throw malformed("array " + array + ": of wire format " + (type & 0xff) + " (expected: " + expected + ")");
        }
        requireType(TYPES[type], expected);
        return take(body.getInt(entry(array) + 4) * expected.size());
    }

    private ByteBuffer take(int bytes) {
        ByteBuffer view = buffer().slice(arrayAt, bytes).order(ByteOrder.LITTLE_ENDIAN);
        arrayAt += (int) TupleWriter.align(bytes);
        array++;
        return view;
    }

    private static long bytes(int type, int elements) {
        return type < TYPES.length ? (long) elements * TYPES[type].size() : WireFloats.bytes(type, elements);
    }

    private int entry(int i) {
        return tableAt + 8 * i;
    }
}

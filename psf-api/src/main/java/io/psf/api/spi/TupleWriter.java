package io.psf.api.spi;

import io.psf.api.TensorInfo;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.ElementType;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowFloats;
import io.psf.api.array.SharedArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects the components of a tuple in order, and then writes them as the body of a frame. Scalars and copied arrays
 * are packed into the block. Shared arrays are held by reference until {@link #writeBody}.
 *
 * <pre>
 *  body    +-----------------------+---------------------+-----------+-----------+--
 *          | block, padded to 8    | array table, 8 each | array 0   | array 1   | each padded to 8
 *          +-----------------------+---------------------+-----------+-----------+--
 *  entry   | type: 4 bytes | elements: 4 bytes |         all little-endian
 * </pre>
 *
 * Reusable after {@link #reset()}. Not thread-safe.
 */
public final class TupleWriter extends BlockWriter {
    private int arrays;
    private SharedArray[] sources = new SharedArray[4];
    private int[][] rows = new int[4][];
    private int[] from = new int[4];
    private int[] to = new int[4];
    private int[] widths = new int[4];
    /** The entries of the arrays that are written in a format of {@link WireFloats}; 0 for the others. */
    private int[] formats = new int[4];
    /** The repeated rows that are folded into an array's rows after they are written; null if none. */
    private @Nullable Repeats[] repeats = new @Nullable Repeats[4];

    private static final int[] NO_ROWS = {};

    /** The format of the next array. */
    private FloatType next = FloatType.FLOAT32;
    /** The width of the next array's rows, for its format; 0 if it has no rows. */
    private int nextWidth;
    /** The tensor on whose shard the function runs; null if there is none. */
    private @Nullable TensorInfo tensor;

    /**
     * The minimum length of a tail in bytes. A shorter array is copied: a write from two buffers costs as much as the
     * copy.
     */
    private static final int SHORTEST_TAIL = 16 << 10;

    /** The sections by version; null until the first one is created. */
    private @Nullable TupleWriter @Nullable [] sections;

    private final TupleWriter whole;

    /** Creates a writer of a tuple. */
    public TupleWriter() {
        whole = this;
    }

    /** Creates a writer of a section. */
    private TupleWriter(TupleWriter whole) {
        this.whole = whole;
    }

    /** Discards everything that was written. */
    public void reset() {
        block().clear();
        if (sections != null) {
            forgetSections(sections);
        }
        Arrays.fill(sources, 0, arrays, null);
        Arrays.fill(rows, 0, arrays, NO_ROWS);
        Arrays.fill(repeats, 0, arrays, null);
        arrays = 0;
        next = FloatType.FLOAT32;
        tensor = null;
    }

    /**
     * Sets the tensor on whose shard the function runs, until {@link #reset}: it has a format for arrays on the wire.
     */
    public void ofTensor(@Nullable TensorInfo tensor) {
        this.tensor = tensor;
    }

    /** Sets the format of the next array, which is a {@link FloatArray}, and returns this writer. */
    public TupleWriter as(FloatType format) {
        next = format;
        nextWidth = tensor == null ? 0 : tensor.width();
        return this;
    }

    /**
     * Sets the width of the next array's rows, if its format depends on it, and returns this writer. Called after the
     * format is set, which sets the tensor's width.
     *
     * @param width 0 if the width is not known
     */
    public TupleWriter rowsOf(int width) {
        nextWidth = width;
        return this;
    }

    /** Sets the format of the next array to the format of the tensor which {@link #ofTensor} named. */
    public TupleWriter asTensor() {
        return tensor == null ? this : as(tensor.types().wire());
    }

    /**
     * Returns the writer of the section for the components of nested records that a later version added. The section
     * lies behind everything that older peers read.
     *
     * @param version the version that added them, from 2
     */
    public TupleWriter since(int version) {
        return whole.section(version);
    }

    private TupleWriter section(int version) {
        TupleWriter[] known = sections;
        if (known == null || known.length <= version) {
            known = known == null ? new TupleWriter[version + 1] : Arrays.copyOf(known, version + 1);
            sections = known;
        }
        TupleWriter section = known[version];
        if (section == null) {
            section = new TupleWriter(this);
            known[version] = section;
        }
        return section;
    }

    /**
     * Appends the sections to the block, followed by the length of each section, so that a reader finds the sections
     * from the block's end.
     *
     * @param first the first version that has a section
     * @param last the schema's version
     */
    public void sections(int first, int last) {
        for (int version = first; version <= last; version++) {
            ByteBuffer section = section(version).block().flip();
            need(section.remaining()).put(section);
        }
        for (int version = first; version <= last; version++) {
            i32(section(version).block().position());
        }
        forgetSections(Objects.requireNonNull(sections));
    }

    private static void forgetSections(@Nullable TupleWriter[] sections) {
        for (TupleWriter section : sections) {
            if (section != null) {
                section.block().clear();
            }
        }
    }

    /** Adds a whole shared array. */
    public void array(SharedArray array) {
        range(array, 0, array.length());
    }

    /** Adds the elements {@code [begin, end)} of a shared array. */
    public void range(SharedArray array, int begin, int end) {
        if (array instanceof RowFloats some && begin % some.width() == 0 && end % some.width() == 0) {
            int first = some.firstRow();
            int width = some.width();
            add(some.source(), some.rows(), first + begin / width, first + end / width, width, null);
        } else {
            add(array, NO_ROWS, begin, end, 0, null);
        }
    }

    /**
     * Adds the rows {@code order[begin..end)} of a shared array, [_, width], into which repeated rows may be folded.
     */
    void rows(SharedArray array, int[] order, int begin, int end, int width, @Nullable Repeats folded) {
        add(array, order, begin, end, width, folded);
    }

    private void add(SharedArray array, int[] order, int begin, int end, int width, @Nullable Repeats folded) {
        if (arrays == sources.length) {
            sources = Arrays.copyOf(sources, arrays * 2);
            rows = Arrays.copyOf(rows, arrays * 2);
            from = Arrays.copyOf(from, arrays * 2);
            to = Arrays.copyOf(to, arrays * 2);
            widths = Arrays.copyOf(widths, arrays * 2);
            formats = Arrays.copyOf(formats, arrays * 2);
            repeats = Arrays.copyOf(repeats, arrays * 2);
        }
        sources[arrays] = array;
        rows[arrays] = order;
        from[arrays] = begin;
        to[arrays] = end;
        repeats[arrays] = folded;
        widths[arrays] = width;
        formats[arrays] = 0;
        if (next != FloatType.FLOAT32) {
            formats[arrays] = WireFloats.entry(next, nextWidth);
            next = FloatType.FLOAT32;
        }
        arrays++;
    }

    /** Returns the number of shared arrays. */
    public int arrays() {
        return arrays;
    }

    /** Returns the length of the whole body in bytes, a multiple of 8. */
    public long bodyLength() {
        long length = align(blockLength()) + 8L * arrays;
        for (int i = 0; i < arrays; i++) {
            length += align(bytes(i));
        }
        return length;
    }

    private int elements(int i) {
        return widths[i] == 0 ? to[i] - from[i] : Math.multiplyExact(to[i] - from[i], widths[i]);
    }

    private long bytes(int i) {
        return formats[i] == 0
                ? (long) elements(i) * sources[i].type().size()
                : WireFloats.bytes(formats[i], elements(i));
    }

    /**
     * Returns the bytes of the last array if they are off-heap, contiguous and end the body, so that they can be sent
     * without a copy. Returns null otherwise, and if the array is shorter than 16 KiB.
     */
    public @Nullable ByteBuffer tail() {
        int last = arrays - 1;
        if (last < 0 || widths[last] != 0 || formats[last] != 0 || !(sources[last] instanceof FloatArray floats)) {
            return null;
        }
        long bytes = (long) (to[last] - from[last]) * Float.BYTES;
        if (bytes < SHORTEST_TAIL || align(bytes) != bytes) {
            return null;
        }
        boolean isWhole = from[last] == 0 && to[last] == floats.length();
        return ArrayMemory.offHeap(isWhole ? floats : floats.slice(from[last], to[last]));
    }

    /** Writes the body without the {@link #tail}. */
    public void writeHead(ByteBuffer out) {
        writeBody(out, arrays - 1);
    }

    /** Writes the body at the position of a little-endian buffer that has enough space, and advances the position. */
    public void writeBody(ByteBuffer out) {
        writeBody(out, arrays);
    }

    /** Writes the body with only the first {@code firstArrays} arrays. */
    private void writeBody(ByteBuffer out, int firstArrays) {
        int length = blockLength();
        out.put(block().array(), 0, length);
        pad(out, length);
        for (int i = 0; i < arrays; i++) {
            out.putInt(formats[i] == 0 ? sources[i].type().ordinal() : formats[i])
                    .putInt(elements(i));
        }
        for (int i = 0; i < firstArrays; i++) {
            if (formats[i] != 0) {
                writeFormatted(i, out);
            } else if (widths[i] == 0) {
                ArrayMemory.write(sources[i], from[i], to[i], out);
            } else {
                writeRows(i, out);
            }
            pad(out, bytes(i));
        }
    }

    private void writeFormatted(int i, ByteBuffer out) {
        FloatArray source = (FloatArray) sources[i];
        Repeats folded = repeats[i];
        if (widths[i] == 0) {
            WireFloats.write(source.slice(from[i], to[i]), formats[i], out);
        } else if (folded == null) {
            WireFloats.writeRows(source, rows[i], from[i], to[i], widths[i], formats[i], out);
        } else { // sums are made before they are rounded
            FloatArray summed = FloatArray.allocate(elements(i));
            summed.gather(source, rows[i], from[i], to[i], widths[i]);
            folded.fold(source, summed, widths[i]);
            WireFloats.write(summed, formats[i], out);
        }
    }

    private void writeRows(int i, ByteBuffer out) {
        int begin = out.position();
        ArrayMemory.writeRows(sources[i], rows[i], from[i], to[i], widths[i], out);
        Repeats folded = repeats[i];
        if (folded != null) {
            ByteBuffer written = out.slice(begin, out.position() - begin).order(ByteOrder.LITTLE_ENDIAN);
            folded.fold(sources[i], view(sources[i].type(), written), widths[i]);
        }
    }

    static SharedArray view(ElementType type, ByteBuffer bytes) {
        return switch (type) {
            case BYTE -> ByteArray.view(bytes);
            case INT -> IntArray.view(bytes);
            case LONG -> LongArray.view(bytes);
            case FLOAT -> FloatArray.view(bytes);
            case DOUBLE -> DoubleArray.view(bytes);
        };
    }

    private static void pad(ByteBuffer out, long written) {
        for (long at = written; at < align(written); at++) {
            out.put((byte) 0);
        }
    }

    static long align(long n) {
        return (n + 7) & ~7L;
    }
}

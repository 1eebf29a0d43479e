package io.psf.interchange;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The footer of a Parquet file.
 *
 * @param file the file
 * @param rows the number of rows
 * @param texts texts about the file, by their names
 * @param columns the columns of the outermost level that have numbers, by their names
 * @param others the names of the other columns
 * @param groups the groups of rows, of each the parts of the columns in the order of the schema
 */
record ParquetFile(
        Path file,
        long rows,
        Map<String, String> texts,
        Map<String, Column> columns,
        List<String> others,
        List<List<Chunk>> groups) {
    static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    // The numbers of physical types and of repetitions in the format.
    static final int INT32 = 1;
    static final int INT64 = 2;
    static final int FLOAT = 4;
    static final int DOUBLE = 5;
    private static final int FIXED = 7;
    private static final int OPTIONAL = 1;
    private static final int REPEATED = 2;
    /** The field of float16 in the union of logical types. */
    private static final int FLOAT16 = 15;

    /** The deepest column that is read: an optional list of optional numbers has 4. */
    private static final int DEEPEST = 64;

    /**
     * A column of numbers or of lists of numbers.
     *
     * @param place its place among all columns
     * @param format the type of the numbers
     * @param isList true if each row has a list
     * @param levels the definition level of a number that is there
     */
    record Column(int place, ElementFormat format, boolean isList, int levels) {}

    /**
     * The part of a column in a group of rows.
     *
     * @param offset the position of its first page
     * @param bytes the length of its pages
     * @param values the number of values in it, of which nulls and empty lists count as one each
     * @param codec the number of the compression
     */
    record Chunk(long offset, long bytes, long values, int codec) {}

    /**
     * Reads the footer of a file.
     *
     * @throws PsException with {@code STORAGE} if the file cannot be read, or is no Parquet file or a damaged one
     */
    static ParquetFile open(Path file) {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = in.size();
            int ends = 2 * MAGIC.length + Integer.BYTES;
            ByteBuffer last = bytes(in, Math.max(0, size - ends + MAGIC.length), ends - MAGIC.length);
            int length = last.getInt();
            if (size < ends || !last.equals(ByteBuffer.wrap(MAGIC))) {
                throw new IllegalArgumentException("last bytes: not as in a Parquet file (expected: PAR1)");
            }
            long most = Math.min(size - ends, Runtime.getRuntime().maxMemory() / 32);
            if (length < 0 || length > most) {
                throw new IllegalArgumentException(
                        "footer of " + length + " bytes (expected: at most " + most + ", a 32nd of the heap)");
            }
            ByteBuffer footer = bytes(in, size - ends + MAGIC.length - length, length);
            return new Schema(ThriftStruct.read(footer)).file(file, size);
        } catch (IOException | IllegalArgumentException | BufferUnderflowException e) {
            throw unreadable(file, e);
        }
    }

    /** Reads bytes of a file; fewer if it ends before. */
    static ByteBuffer bytes(FileChannel in, long offset, int n) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(n).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining() && in.read(bytes, offset + bytes.position()) >= 0) {}
        return bytes.flip();
    }

    static PsException unreadable(Path file, Exception e) {
        String reason = e instanceof IllegalArgumentException
                ? e.getMessage()
                : e instanceof BufferUnderflowException ? "damaged, a part of it ends early" : e.toString();
        return new PsException(PsException.Code.STORAGE, "reading " + file.toAbsolutePath() + ": " + reason, e);
    }

    /** The metadata, read from the schema on. */
    private static final class Schema {
        private final ThriftStruct metadata;
        private final List<ThriftStruct> elements;
        private final Map<String, Column> columns = new LinkedHashMap<>();
        private final List<String> others = new ArrayList<>();
        /** The next element. */
        private int next = 1;
        /** The place of the next column. */
        private int place;

        private Schema(ThriftStruct metadata) {
            this.metadata = metadata;
            this.elements = metadata.structs(2);
        }

        ParquetFile file(Path file, long size) {
            if (metadata.has(8)) {
                throw new IllegalArgumentException("encrypted (expected: a file that is not)");
            }
            if (elements.isEmpty()) {
                throw new IllegalArgumentException("no schema");
            }
            long top = elements.get(0).integer(5, 0);
            for (long i = 0; i < top; i++) {
                addTop();
            }
            Map<String, String> texts = new LinkedHashMap<>();
            metadata.structs(5).stream()
                    .filter(each -> each.has(2))
                    .forEach(each -> texts.put(each.text(1), each.text(2)));
            List<List<Chunk>> groups = new ArrayList<>();
            long rows = 0;
            for (ThriftStruct group : metadata.structs(4)) {
                groups.add(chunks(group, size));
                rows += group.integer(3);
            }
            if (rows != metadata.integer(3)) {
                throw new IllegalArgumentException(
                        "rows of all groups: " + rows + " (expected: " + metadata.integer(3) + ")");
            }
            return new ParquetFile(file, rows, texts, columns, others, groups);
        }

        private List<Chunk> chunks(ThriftStruct group, long size) {
            List<Chunk> chunks = new ArrayList<>();
            for (ThriftStruct each : group.structs(1)) {
                if (each.has(1)) {
                    throw new IllegalArgumentException("columns in another file, " + each.text(1));
                }
                ThriftStruct column = each.struct(3);
                long offset = column.integer(9);
                long dictionary = column.integer(11, 0);
                long begin = dictionary > 0 && dictionary < offset ? dictionary : offset;
                long bytes = column.integer(7);
                if (begin < 0 || bytes < 0 || bytes > size - begin) {
                    throw new IllegalArgumentException("bytes [" + begin + ", " + (begin + bytes)
                            + ") of a column (expected: in a file of " + size + ")");
                }
                chunks.add(new Chunk(begin, bytes, column.integer(5), (int) column.integer(4)));
            }
            if (chunks.size() != place) {
                throw new IllegalArgumentException(
                        "columns of a group of rows: " + chunks.size() + " (expected: " + place + ")");
            }
            return chunks;
        }

        private ThriftStruct element() {
            if (next == elements.size()) {
                throw new IllegalArgumentException("schema: it ends early");
            }
            return elements.get(next++);
        }

        /** Adds a column of the outermost level. A column that is none of numbers, or has several parts, is another. */
        private void addTop() {
            ThriftStruct top = element();
            String name = top.text(4);
            int before = place;
            Column column = column(top, 0, 0, 0);
            if (column == null || place != before + 1) {
                others.add(name);
            } else if (columns.put(name, column) != null) {
                throw new IllegalArgumentException("column \"" + name + "\": twice (expected: once)");
            }
        }

        private @Nullable Column column(ThriftStruct element, int levels, int lists, int depth) {
            if (depth > DEEPEST) {
                throw new IllegalArgumentException("schema: more than " + DEEPEST + " levels");
            }
            long repetition = element.integer(3, 0);
            int defined = levels + (repetition == OPTIONAL || repetition == REPEATED ? 1 : 0);
            int repeated = lists + (repetition == REPEATED ? 1 : 0);
            long children = element.integer(5, 0);
            if (element.has(1)) {
                ElementFormat format = format(element);
                Column column =
                        format == null || repeated > 1 ? null : new Column(place, format, repeated == 1, defined);
                place++;
                return column;
            }
            Column only = null;
            for (long i = 0; i < children; i++) {
                only = column(element(), defined, repeated, depth + 1);
            }
            return only;
        }

        private static @Nullable ElementFormat format(ThriftStruct element) {
            boolean isHalf = element.integer(1) == FIXED
                    && element.integer(2, 0) == Short.BYTES
                    && element.has(10)
                    && element.struct(10).has(FLOAT16);
            boolean isPlain = !element.has(10) && !element.has(6) || isWhole(element);
            return switch ((int) element.integer(1)) {
                case INT32 -> isPlain ? ElementFormat.I32 : null;
                case INT64 -> isPlain ? ElementFormat.I64 : null;
                case FLOAT -> ElementFormat.F32;
                case DOUBLE -> ElementFormat.F64;
                case FIXED -> isHalf ? ElementFormat.F16 : null;
                default -> null;
            };
        }

        /** Returns true if an integer is no date, time or decimal: of 8 to 64 bits, with a sign. */
        private static boolean isWhole(ThriftStruct element) {
            if (element.has(10)) {
                ThriftStruct type = element.struct(10);
                return type.has(10) && type.struct(10).isTrue(2, true);
            }
            return element.integer(6) >= 15 && element.integer(6) <= 18;
        }
    }
}

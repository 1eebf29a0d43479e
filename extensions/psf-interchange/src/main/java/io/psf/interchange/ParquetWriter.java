package io.psf.interchange;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Writes a Parquet file: a column of keys and columns of vectors, uncompressed, in groups of rows of about 16 MiB, one
 * of which is in memory. Not thread-safe.
 */
final class ParquetWriter {
    private static final int GROUP = 16 << 20;
    private static final int PAGE = 1 << 20;

    /** The most rows of a group. */
    private static final int MOST_ROWS = 1 << 20;

    private final ArrayWriter out;
    private final List<String> names;
    private final int[] widths;
    /** [rows of a group] */
    private final long[] keys;
    /** [columns][rows of a group, width] */
    private final float[][] values;

    private final List<Group> groups = new ArrayList<>();
    private int size;
    private long rows;
    private long position;

    /** A written group: its rows, and where each of its columns begins and ends. */
    private record Group(int rows, long[] begins, long end) {}

    /**
     * Begins a file.
     *
     * @param keys the name of the column of keys
     * @param columns the number of floats in a row of each column, by its name
     */
    ParquetWriter(ArrayWriter out, String keys, Map<String, Integer> columns) throws IOException {
        Map<String, Integer> all = new LinkedHashMap<>(columns);
        this.out = out;
        this.names = new ArrayList<>(all.keySet());
        this.widths = all.values().stream().mapToInt(Integer::intValue).toArray();
        long bytes = Long.BYTES;
        for (int width : widths) {
            bytes += (long) width * Float.BYTES;
        }
        int most = (int) Math.max(1, Math.min(MOST_ROWS, GROUP / bytes));
        this.keys = new long[most];
        this.values = new float[widths.length][];
        for (int i = 0; i < widths.length; i++) {
            values[i] = new float[Math.multiplyExact(most, widths[i])];
        }
        names.add(0, keys);
        bytes(ParquetFile.MAGIC);
    }

    /**
     * Appends a row.
     *
     * @param columns [columns][width]
     */
    void row(long key, float[]... columns) throws IOException {
        keys[size] = key;
        for (int i = 0; i < widths.length; i++) {
            System.arraycopy(columns[i], 0, values[i], size * widths[i], widths[i]);
        }
        size++;
        if (size == keys.length) {
            group();
        }
    }

    private void group() throws IOException {
        long[] begins = new long[names.size()];
        for (int i = 0; i < begins.length; i++) {
            begins[i] = position;
            int width = i == 0 ? 1 : widths[i - 1];
            int bytes = i == 0 ? Long.BYTES : width * Float.BYTES;
            int most = Math.max(1, PAGE / bytes);
            for (int row = 0; row < size; row += most) {
                page(i, row, Math.min(most, size - row));
            }
        }
        groups.add(new Group(size, begins, position));
        rows += size;
        size = 0;
    }

    private void page(int column, int row, int n) throws IOException {
        int width = column == 0 ? 1 : widths[column - 1];
        byte[] levels = column == 0 ? new byte[0] : levels(n, width);
        int bytes = column == 0 ? Long.BYTES : Float.BYTES;
        ByteBuffer page = ByteBuffer.allocate(levels.length + n * width * bytes).order(ByteOrder.LITTLE_ENDIAN);
        page.put(levels);
        for (int i = row * width; i < (row + n) * width; i++) {
            if (column == 0) {
                page.putLong(keys[i]);
            } else {
                page.putFloat(values[column - 1][i]);
            }
        }
        CRC32 crc = new CRC32();
        crc.update(page.array());
        bytes(new ThriftWriter()
                .begin()
                .i32(1, 0)
                .i32(2, page.capacity())
                .i32(3, page.capacity())
                .i32(4, (int) crc.getValue())
                .begin(5)
                .i32(1, n * width)
                .i32(2, 0)
                .i32(3, 3)
                .i32(4, 3)
                .end()
                .end()
                .toBytes());
        bytes(page.array());
    }

    /** Returns the levels of lists of one length: which numbers begin a list, and that all numbers are there. */
    private static byte[] levels(int n, int width) {
        ByteArrayOutputStream runs = new ByteArrayOutputStream();
        for (int i = 0; i < n && width > 1; i++) {
            run(runs, 1, 0);
            run(runs, width - 1, 1);
        }
        if (width == 1) {
            run(runs, n, 0);
        }
        ByteArrayOutputStream there = new ByteArrayOutputStream();
        run(there, n * width, 1);
        return ByteBuffer.allocate(2 * Integer.BYTES + runs.size() + there.size())
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(runs.size())
                .put(runs.toByteArray())
                .putInt(there.size())
                .put(there.toByteArray())
                .array();
    }

    private static void run(ByteArrayOutputStream out, int length, int value) {
        int left = length << 1;
        for (; left > 0x7f; left >>>= 7) {
            out.write(left & 0x7f | 0x80);
        }
        out.write(left);
        out.write(value);
    }

    /**
     * Writes the rows that are left, and the footer.
     *
     * @param texts texts about the file
     */
    void finish(Map<String, String> texts) throws IOException {
        if (size > 0) {
            group();
        }
        ThriftWriter footer = new ThriftWriter().begin().i32(1, 1);
        schema(footer);
        footer.i64(3, rows).structs(4, groups.size());
        groups.forEach(each -> group(footer, each));
        footer.structs(5, texts.size());
        texts.forEach((name, text) -> footer.begin().text(1, name).text(2, text).end());
        byte[] bytes = footer.text(6, "psf").end().toBytes();
        bytes(bytes);
        bytes(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(bytes.length)
                .array());
        bytes(ParquetFile.MAGIC);
    }

    /** Writes the schema: a number, then lists of floats; nothing is optional. */
    private void schema(ThriftWriter footer) {
        int required = 0;
        int repeated = 2;
        int list = 3;
        footer.structs(2, 2 + 3 * widths.length)
                .begin()
                .text(4, "psf")
                .i32(5, names.size())
                .end();
        footer.begin()
                .i32(1, ParquetFile.INT64)
                .i32(3, required)
                .text(4, names.get(0))
                .end();
        for (String name : names.subList(1, names.size())) {
            footer.begin().i32(3, required).text(4, name).i32(5, 1).i32(6, list);
            footer.begin(10).begin(list).end().end().end();
            footer.begin().i32(3, repeated).text(4, "list").i32(5, 1).end();
            footer.begin()
                    .i32(1, ParquetFile.FLOAT)
                    .i32(3, required)
                    .text(4, "element")
                    .end();
        }
    }

    private void group(ThriftWriter footer, Group group) {
        long[] begins = group.begins();
        footer.begin().structs(1, begins.length);
        for (int i = 0; i < begins.length; i++) {
            long bytes = (i + 1 < begins.length ? begins[i + 1] : group.end()) - begins[i];
            long n = (long) group.rows() * (i == 0 ? 1 : widths[i - 1]);
            footer.begin().i64(2, 0).begin(3);
            footer.i32(1, i == 0 ? ParquetFile.INT64 : ParquetFile.FLOAT).integers(2, 0, 3);
            if (i == 0) {
                footer.texts(3, names.get(0));
            } else {
                footer.texts(3, names.get(i), "list", "element");
            }
            footer.i32(4, PageCodec.NONE).i64(5, n).i64(6, bytes).i64(7, bytes).i64(9, begins[i]);
            footer.end().end();
        }
        footer.i64(2, group.end() - begins[0]).i64(3, group.rows()).end();
    }

    private void bytes(byte[] bytes) throws IOException {
        out.bytes(bytes);
        position += bytes.length;
    }
}

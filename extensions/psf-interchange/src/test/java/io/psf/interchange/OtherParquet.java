package io.psf.interchange;

import io.airlift.compress.Compressor;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;

/**
 * Writes Parquet files as other tools do: optional columns, dictionaries, packed levels, differences, compressed pages
 * of both versions.
 *
 * @param codec the number of the compression
 * @param isSecond true for pages of version 2
 * @param encodingOfKeys 0 plain, 5 differences, 8 a dictionary
 * @param encodingOfValues 0 plain, 8 a dictionary, 9 split
 */
record OtherParquet(int codec, boolean isSecond, int encodingOfKeys, int encodingOfValues) {
    private record Chunk(int column, long begin, long dataBegin, long end, int values) {}

    /** Writes a file with the columns {@code key} and {@code vector}, in groups of up to 100 rows. */
    void write(Path file, long[] keys, float[] values, int width) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(ParquetFile.MAGIC);
        List<Chunk> chunks = new ArrayList<>();
        for (int row = 0; row < keys.length; row += 100) {
            int n = Math.min(100, keys.length - row);
            long[] ofKeys = Arrays.copyOfRange(keys, row, row + n);
            long[] bits = new long[n * width];
            for (int i = 0; i < bits.length; i++) {
                bits[i] = Float.floatToRawIntBits(values[row * width + i]);
            }
            chunks.add(chunk(out, 0, ofKeys, 1));
            chunks.add(chunk(out, 1, bits, width));
        }
        ThriftWriter footer = new ThriftWriter().begin().i32(1, 2).structs(2, 5);
        footer.begin().text(4, "schema").i32(5, 2).end();
        footer.begin().i32(1, 2).i32(3, 1).text(4, "key").end();
        footer.begin().i32(3, 1).text(4, "vector").i32(5, 1).i32(6, 3).end();
        footer.begin().i32(3, 2).text(4, "list").i32(5, 1).end();
        footer.begin().i32(1, 4).i32(3, 1).text(4, "element").end();
        footer.i64(3, keys.length).structs(4, chunks.size() / 2);
        for (int i = 0; i < chunks.size(); i += 2) {
            footer.begin().structs(1, 2);
            for (Chunk each : chunks.subList(i, i + 2)) {
                footer.begin()
                        .i64(2, 0)
                        .begin(3)
                        .i32(1, each.column() == 0 ? 2 : 4)
                        .integers(2, 0);
                footer.texts(3, each.column() == 0 ? new String[] {"key"} : new String[] {"vector", "list", "element"});
                long bytes = each.end() - each.begin();
                footer.i32(4, codec)
                        .i64(5, each.values())
                        .i64(6, bytes)
                        .i64(7, bytes)
                        .i64(9, each.dataBegin());
                if (each.dataBegin() > each.begin()) {
                    footer.i64(11, each.begin());
                }
                footer.end().end();
            }
            footer.i64(2, 0).i64(3, chunks.get(i).values()).end();
        }
        byte[] bytes = footer.end().toBytes();
        out.writeBytes(bytes);
        out.writeBytes(little(Integer.BYTES).putInt(bytes.length).array());
        out.writeBytes(ParquetFile.MAGIC);
        Files.write(file, out.toByteArray());
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private Chunk chunk(ByteArrayOutputStream out, int column, long[] values, int width) throws IOException {
        int bytes = column == 0 ? Long.BYTES : Float.BYTES;
        int encoding = column == 0 ? encodingOfKeys : encodingOfValues;
        long begin = out.size();
        List<Long> dictionary = List.of();
        if (encoding == 8) {
            Set<Long> different = new LinkedHashSet<>();
            for (long each : values) {
                different.add(each);
            }
            dictionary = List.copyOf(different);
            byte[] plain = plain(dictionary.stream().mapToLong(Long::longValue).toArray(), bytes);
            byte[] packed = compressed(plain);
            out.writeBytes(new ThriftWriter()
                    .begin()
                    .i32(1, 2)
                    .i32(2, plain.length)
                    .i32(3, packed.length)
                    .begin(7)
                    .i32(1, dictionary.size())
                    .i32(2, 0)
                    .end()
                    .end()
                    .toBytes());
            out.writeBytes(packed);
        }
        long dataBegin = out.size();
        int half = values.length / width / 2 * width; // two pages
        page(out, column, encoding, dictionary, Arrays.copyOf(values, half), width);
        page(out, column, encoding, dictionary, Arrays.copyOfRange(values, half, values.length), width);
        return new Chunk(column, begin, dataBegin, out.size(), values.length);
    }

    private void page(
            ByteArrayOutputStream out, int column, int encoding, List<Long> dictionary, long[] values, int width)
            throws IOException {
        int bytes = column == 0 ? Long.BYTES : Float.BYTES;
        byte[] data = switch (encoding) {
            case 5 -> differences(values);
            case 8 -> numbers(values, dictionary);
            case 9 -> split(values, bytes);
            default -> plain(values, bytes);
        };
        long[] begins = new long[values.length];
        for (int i = 0; i < values.length; i++) {
            begins[i] = i % width == 0 ? 0 : 1;
        }
        byte[] repetitions = column == 0 ? new byte[0] : packed(begins, 1);
        ByteArrayOutputStream definitions = new ByteArrayOutputStream();
        varint(definitions, (long) values.length << 1); // a run
        definitions.write(column == 0 ? 1 : 3);
        if (isSecond) {
            byte[] packed = compressed(data);
            int levels = repetitions.length + definitions.size();
            out.writeBytes(new ThriftWriter()
                    .begin()
                    .i32(1, 3)
                    .i32(2, levels + data.length)
                    .i32(3, levels + packed.length)
                    .begin(8)
                    .i32(1, values.length)
                    .i32(2, 0)
                    .i32(3, values.length / width)
                    .i32(4, encoding)
                    .i32(5, definitions.size())
                    .i32(6, repetitions.length)
                    .end()
                    .end()
                    .toBytes());
            out.writeBytes(repetitions);
            out.writeBytes(definitions.toByteArray());
            out.writeBytes(packed);
            return;
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (column == 1) {
            all.writeBytes(little(Integer.BYTES).putInt(repetitions.length).array());
            all.writeBytes(repetitions);
        }
        all.writeBytes(little(Integer.BYTES).putInt(definitions.size()).array());
        all.writeBytes(definitions.toByteArray());
        all.writeBytes(data);
        byte[] packed = compressed(all.toByteArray());
        out.writeBytes(new ThriftWriter()
                .begin()
                .i32(1, 0)
                .i32(2, all.size())
                .i32(3, packed.length)
                .begin(5)
                .i32(1, values.length)
                .i32(2, encoding)
                .i32(3, 3)
                .i32(4, 3)
                .end()
                .end()
                .toBytes());
        out.writeBytes(packed);
    }

    private static byte[] plain(long[] values, int bytes) {
        ByteBuffer out = ByteBuffer.allocate(values.length * bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (long each : values) {
            if (bytes == Long.BYTES) {
                out.putLong(each);
            } else {
                out.putInt((int) each);
            }
        }
        return out.array();
    }

    private static byte[] split(long[] values, int bytes) {
        byte[] plain = plain(values, bytes);
        byte[] split = new byte[plain.length];
        for (int i = 0; i < plain.length; i++) {
            split[i % bytes * values.length + i / bytes] = plain[i];
        }
        return split;
    }

    private static byte[] numbers(long[] values, List<Long> dictionary) {
        int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(dictionary.size() - 1));
        long[] numbers = Arrays.stream(values).map(dictionary::indexOf).toArray();
        byte[] packed = packed(numbers, bits);
        return ByteBuffer.allocate(1 + packed.length)
                .put((byte) bits)
                .put(packed)
                .array();
    }

    /** Groups of eight, after a run of one number if there is one. */
    private static byte[] packed(long[] values, int bits) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int groups = (values.length + 7) / 8;
        varint(out, (long) groups << 1 | 1);
        out.writeBytes(bits(Arrays.copyOf(values, groups * 8), bits));
        return out.toByteArray();
    }

    private static byte[] bits(long[] values, int bits) {
        byte[] out = new byte[(values.length * bits + 7) / 8];
        for (int i = 0; i < values.length * bits; i++) {
            out[i / 8] |= (byte) ((values[i / bits] >>> i % bits & 1) << i % 8);
        }
        return out;
    }

    private static byte[] differences(long[] values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        varint(out, 128);
        varint(out, 4);
        varint(out, values.length);
        zigzag(out, values[0]);
        for (int begin = 1; begin < values.length; begin += 128) {
            long[] all = new long[128];
            int n = Math.min(128, values.length - begin);
            long least = Long.MAX_VALUE;
            for (int i = 0; i < n; i++) {
                all[i] = values[begin + i] - values[begin + i - 1];
                least = Math.min(least, all[i]);
            }
            zigzag(out, least);
            ByteArrayOutputStream parts = new ByteArrayOutputStream();
            for (int part = 0; part < 4; part++) {
                long[] some = new long[32];
                int width = 0;
                for (int i = 0; i < 32 && part * 32 + i < n; i++) {
                    some[i] = all[part * 32 + i] - least;
                    width = Math.max(width, Long.SIZE - Long.numberOfLeadingZeros(some[i]));
                }
                out.write(width);
                if (part * 32 < n) {
                    parts.writeBytes(bits(some, width));
                }
            }
            out.writeBytes(parts.toByteArray());
        }
        return out.toByteArray();
    }

    private static void zigzag(ByteArrayOutputStream out, long value) {
        varint(out, value << 1 ^ value >> 63);
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long left = value;
        for (; (left & ~0x7fL) != 0; left >>>= 7) {
            out.write((int) (left & 0x7f | 0x80));
        }
        out.write((int) left);
    }

    private byte[] compressed(byte[] bytes) throws IOException {
        if (codec == 0) {
            return bytes;
        } else if (codec == 2) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                gzip.write(bytes);
            }
            return out.toByteArray();
        }
        Compressor compressor =
                codec == 1 ? new SnappyCompressor() : codec == 6 ? new ZstdCompressor() : new Lz4Compressor();
        byte[] out = new byte[compressor.maxCompressedLength(bytes.length)];
        return Arrays.copyOf(out, compressor.compress(bytes, 0, bytes.length, out, 0, out.length));
    }
}

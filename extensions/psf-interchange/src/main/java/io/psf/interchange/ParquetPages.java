package io.psf.interchange;

import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a column of a Parquet file with their levels, one page in memory at a time. Failures that a damaged
 * file causes are as those of {@link ThriftStruct}. Not thread-safe.
 */
final class ParquetPages implements Closeable {
    // The numbers of pages and encodings in the format.
    private static final int DATA = 0;
    private static final int DICTIONARY = 2;
    private static final int DATA_2 = 3;
    private static final int PLAIN = 0;
    private static final int PLAIN_DICTIONARY = 2;
    private static final int RLE = 3;
    private static final int DIFFERENCES = 5;
    private static final int RLE_DICTIONARY = 8;
    private static final int SPLIT = 9;

    /** The longest header of a page that is looked for. */
    private static final int MOST_HEADER = 1 << 20;

    private final ParquetFile file;
    private final ParquetFile.Column column;
    private final FileChannel in;
    /** The next group of rows. */
    private int group;

    private ParquetFile.Chunk chunk = new ParquetFile.Chunk(0, 0, 0, 0);
    /** The position of the next page. */
    private long position;
    /** The values of the chunk that no page has given yet. */
    private long valuesOfChunk;

    private @Nullable ByteBuffer dictionary;
    private long valuesOfPage;
    private @Nullable BitRuns repetitions;
    private @Nullable BitRuns definitions;
    private PageValues values = () -> ByteBuffer.allocate(0);

    ParquetPages(ParquetFile file, ParquetFile.Column column) throws IOException {
        this.file = file;
        this.column = column;
        this.in = FileChannel.open(file.file(), StandardOpenOption.READ);
    }

    /** Goes to the next number. Returns its repetition level: 0 if it is the first of its row, 1 if not; -1 at the end. */
    int next() throws IOException {
        while (valuesOfPage == 0) {
            if (valuesOfChunk == 0) {
                if (group == file.groups().size()) {
                    return -1;
                }
                chunk = file.groups().get(group++).get(column.place());
                position = chunk.offset();
                valuesOfChunk = chunk.values();
                dictionary = null;
            } else {
                page();
            }
        }
        valuesOfPage--;
        return repetitions == null ? 0 : repetitions.next();
    }

    /** Returns true if the number is there: it is no null, and no empty list. Called once after {@link #next}. */
    boolean isThere() {
        return definitions == null || definitions.next() == column.levels();
    }

    /** Returns a buffer that stands at the number. Called once after {@link #isThere}. */
    ByteBuffer number() {
        return values.next();
    }

    private void page() throws IOException {
        ByteBuffer window;
        ThriftStruct header;
        for (int most = 1 << 10; ; most <<= 5) {
            int n = (int) Math.min(most, chunk.offset() + chunk.bytes() - position);
            window = ParquetFile.bytes(in, position, n);
            try {
                header = ThriftStruct.read(window);
                break;
            } catch (BufferUnderflowException e) {
                if (n < most || most >= MOST_HEADER) {
                    throw e;
                }
            }
        }
        position += window.position();
        int length = size(header.integer(3));
        ByteBuffer bytes = ParquetFile.bytes(in, position, length);
        if (bytes.remaining() < length || position + length > chunk.offset() + chunk.bytes()) {
            throw new BufferUnderflowException();
        }
        position += length;
        if (header.has(4)) {
            CRC32 crc = new CRC32();
            crc.update(bytes.duplicate());
            if ((int) crc.getValue() != (int) header.integer(4)) {
                throw new IllegalArgumentException("checksum of a page: "
                        + Integer.toHexString((int) crc.getValue()) + " (expected: "
                        + Integer.toHexString((int) header.integer(4)) + ", as in its header)");
            }
        }
        int type = (int) header.integer(1);
        int plain = size(header.integer(2));
        if (type == DICTIONARY) {
            dictionary = plain(bytes, 0, plain, true);
        } else if (type == DATA) {
            data(header.struct(5), plain(bytes, 0, plain, true));
        } else if (type == DATA_2) {
            data2(header.struct(8), bytes, plain);
        }
    }

    private static int size(long bytes) {
        long most = Runtime.getRuntime().maxMemory() / 8;
        if (bytes < 0 || bytes > most) {
            throw new IllegalArgumentException(
                    "page of " + bytes + " bytes (expected: at most " + most + ", an eighth of the heap)");
        }
        return (int) bytes;
    }

    /** Returns a page, or what follows its levels, as it was before the compression. */
    private ByteBuffer plain(ByteBuffer bytes, int offset, int length, boolean isCompressed) throws IOException {
        ByteBuffer plain = chunk.codec() == PageCodec.NONE || !isCompressed
                ? bytes.slice(offset, bytes.limit() - offset)
                : length == 0
                        ? ByteBuffer.allocate(0)
                        : ByteBuffer.wrap(PageCodec.decompressed(
                                chunk.codec(), bytes.array(), bytes.arrayOffset() + offset, length));
        return plain.order(ByteOrder.LITTLE_ENDIAN);
    }

    private void data(ThriftStruct header, ByteBuffer page) {
        begin(header.integer(1));
        repetitions = column.isList() ? levels(header.integer(4), page, 1) : null;
        definitions = column.levels() > 0 ? levels(header.integer(3), page, bits(column.levels())) : null;
        values = values((int) header.integer(2), page);
    }

    private void data2(ThriftStruct header, ByteBuffer bytes, int length) throws IOException {
        begin(header.integer(1));
        int repetition = size(header.integer(6));
        int levels = repetition + size(header.integer(5));
        if (levels > bytes.limit() || levels > length) {
            throw new BufferUnderflowException();
        }
        repetitions = column.isList() ? new BitRuns(bytes.slice(0, repetition), 1) : null;
        definitions = column.levels() > 0
                ? new BitRuns(bytes.slice(repetition, levels - repetition), bits(column.levels()))
                : null;
        values = values((int) header.integer(4), plain(bytes, levels, length - levels, header.isTrue(7, true)));
    }

    private void begin(long n) {
        if (n < 0 || n > valuesOfChunk) {
            throw new IllegalArgumentException(
                    "page of " + n + " values (expected: at most " + valuesOfChunk + ", what is left of its column)");
        }
        valuesOfPage = n;
        valuesOfChunk -= n;
    }

    private static int bits(int most) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(most);
    }

    private static BitRuns levels(long encoding, ByteBuffer page, int bits) {
        if (encoding != RLE) {
            throw new IllegalArgumentException("encoding of levels: " + encoding + " (expected: RLE)");
        }
        int length = page.getInt();
        if (length < 0 || length > page.remaining()) {
            throw new BufferUnderflowException();
        }
        BitRuns levels = new BitRuns(page.slice(page.position(), length), bits);
        page.position(page.position() + length);
        return levels;
    }

    private PageValues values(int encoding, ByteBuffer page) {
        int bytes = column.format().bytes();
        return switch (encoding) {
            case PLAIN -> () -> page;
            case PLAIN_DICTIONARY, RLE_DICTIONARY -> {
                if (dictionary == null) {
                    throw new IllegalArgumentException("a page with numbers of a dictionary that is not there");
                }
                yield PageValues.ofDictionary(dictionary, page, bytes);
            }
            case DIFFERENCES -> {
                if (!column.format().isInteger()) {
                    throw new IllegalArgumentException("differences of floats");
                }
                yield PageValues.ofDifferences(page, bytes);
            }
            case SPLIT -> PageValues.ofSplit(page, bytes);
            default ->
                throw new IllegalArgumentException("encoding " + encoding
                        + " (expected: plain, a dictionary, DELTA_BINARY_PACKED or BYTE_STREAM_SPLIT)");
        };
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}

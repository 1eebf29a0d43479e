package io.psf.interchange;

import io.airlift.compress.Decompressor;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;

/** Decompresses the pages of a Parquet file. */
final class PageCodec {
    // The numbers of the format.
    static final int NONE = 0;
    private static final int SNAPPY = 1;
    private static final int GZIP = 2;
    private static final int ZSTD = 6;
    private static final int LZ4 = 7;

    private PageCodec() {}

    /**
     * Returns the bytes that were compressed.
     *
     * @param codec the number of the compression
     * @param length the number of bytes that were compressed
     */
    static byte[] decompressed(int codec, byte[] bytes, int offset, int length) throws IOException {
        byte[] all = new byte[length];
        int n;
        if (codec == GZIP) {
            try (GZIPInputStream in =
                    new GZIPInputStream(new ByteArrayInputStream(bytes, offset, bytes.length - offset))) {
                n = in.readNBytes(all, 0, length);
            }
        } else {
            Decompressor decompressor = switch (codec) {
                case SNAPPY -> new SnappyDecompressor();
                case ZSTD -> new ZstdDecompressor();
                case LZ4 -> new Lz4Decompressor();
                default ->
                    throw new IllegalArgumentException(
                            "compression " + codec + " (expected: none, Snappy, GZIP, ZSTD or LZ4_RAW)");
            };
            try {
                n = decompressor.decompress(bytes, offset, bytes.length - offset, all, 0, length);
            } catch (MalformedInputException e) {
                throw new IllegalArgumentException("a page that cannot be decompressed: " + e.getMessage(), e);
            }
        }
        if (n != length) {
            throw new IllegalArgumentException("a page of " + n + " bytes (expected: " + length + ")");
        }
        return all;
    }
}

package io.psf.interchange;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The values of a page of a Parquet file, one after another. */
@FunctionalInterface
interface PageValues {
    /** Returns a buffer that stands at the next value in plain form, little-endian. */
    ByteBuffer next();

    /** Values by their numbers in a dictionary. */
    static PageValues ofDictionary(ByteBuffer dictionary, ByteBuffer in, int bytes) {
        BitRuns numbers = new BitRuns(in, in.hasRemaining() ? in.get() : 0);
        int n = dictionary.limit() / bytes;
        return () -> {
            int number = numbers.next();
            if (number < 0 || number >= n) {
                throw new IllegalArgumentException(
                        "number in a dictionary: " + number + " (expected: from 0 to " + (n - 1) + ")");
            }
            return dictionary.position(number * bytes);
        };
    }

    /** Values whose first bytes stand together, then their second ones (BYTE_STREAM_SPLIT). */
    static PageValues ofSplit(ByteBuffer in, int bytes) {
        int n = in.remaining() / bytes;
        int begin = in.position();
        byte[] value = new byte[bytes];
        ByteBuffer out = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        int[] next = {begin};
        return () -> {
            for (int i = 0; i < bytes; i++) {
                value[i] = in.get(next[0] + i * n);
            }
            next[0]++;
            return out.clear();
        };
    }

    /** Integers by their differences (DELTA_BINARY_PACKED). */
    static PageValues ofDifferences(ByteBuffer in, int bytes) {
        return new PackedDifferences(in, bytes)::next;
    }
}

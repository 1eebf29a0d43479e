package io.psf.spark.ml.functions;

import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;

/**
 * Copies of rows of a shard, each in a Java array of its own: the JIT vectorizes loops over arrays that begin at the
 * same index. Not thread-safe.
 */
final class Vectors {
    private float[][] rows = {};
    private int[] words = {};
    private int n;
    private int width;

    /** Returns the copies; the copies of {@link #read} come first. */
    float[][] rows() {
        return rows;
    }

    /** Returns the number of rows that were read. */
    int count() {
        return n;
    }

    int width() {
        return width;
    }

    /** Copies the rows of words from a shard, which has a row for each word. */
    void read(Shard shard, IntArray of) {
        make(of.length(), shard.width());
        of.copyTo(words);
        int most = shard.rows();
        for (int i = 0; i < n; i++) {
            if (words[i] < 0 || words[i] >= most) {
                throw new PsException(
                        PsException.Code.OUT_OF_RANGE,
                        "word " + words[i] + " of tensor " + shard.spec().id() + " (expected: 0 to " + (most - 1)
                                + ", a row of each slice)");
            }
        }
        FloatArray values = shard.values();
        int ahead = FloatArray.rowsToPrefetch(width, 1);
        for (int i = 0; i < n; ) {
            int end = Math.min(n, i + ahead);
            values.prefetchRows(words, i, end - i, width);
            for (; i < end; i++) {
                values.copyTo(words[i] * width, rows[i], 0, width);
            }
        }
    }

    /** Copies the rows back. */
    void write(Shard shard) {
        FloatArray values = shard.values();
        for (int i = 0; i < n; i++) {
            values.copyFrom(words[i] * width, rows[i], 0, width);
        }
    }

    /** Makes n rows of unknown content. */
    void make(int count, int ofWidth) {
        if (ofWidth != width) {
            rows = new float[0][];
        }
        int known = rows.length;
        if (known < count) {
            float[][] more = new float[Math.max(count, 2 * known)][];
            System.arraycopy(rows, 0, more, 0, known);
            for (int i = known; i < more.length; i++) {
                more[i] = new float[ofWidth];
            }
            rows = more;
        }
        if (words.length < count) {
            words = new int[rows.length];
        }
        n = count;
        width = ofWidth;
    }

    /** Checks the length of an array of the request. */
    static void require(String name, int length, long expected) {
        if (length != expected) {
            throw new PsException(PsException.Code.BAD_REQUEST, name + ": " + length + " (expected: " + expected + ")");
        }
    }
}

package io.psf.api.array;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;

/**
 * Copies rows, in parts where that is faster. The JVM copies more than 192 bytes to an address that is no multiple of
 * 32 by masked instructions if the processor has AVX-512. On some processors they take 25 ns, as long as all of the
 * rest. Java arrays, and arrays in frames, begin at multiples of 8; the only array of a large answer begins at one of 64.
 */
final class RowCopies {
    /** The addresses from which the JVM copies without masked instructions are multiples of this. */
    static final int ALIGNED = 32;

    /** Bytes that are copied without masked instructions to any address. */
    private static final int PART = 192;

    /** Longer rows take as long in parts as at once. */
    private static final int LONGEST = 1 << 10;

    private RowCopies() {}

    /**
     * Returns the number of elements of a row to copy at once.
     *
     * @param width elements in a row
     * @param size bytes of an element
     * @param aligned true if each row is copied to a multiple of {@link #ALIGNED}
     */
    static int part(int width, int size, boolean aligned) {
        return aligned || width * size > LONGEST ? width : Math.min(width, PART / size);
    }

    /** Copies rows of a buffer, [_, width], to the beginning of a Java array. */
    static void copyRows(FloatBuffer from, int[] rows, int first, int n, int width, float[] to) {
        if (width == 1) {
            for (int i = 0; i < n; i++) {
                to[i] = from.get(rows[first + i]);
            }
            return;
        }
        int part = part(width, Float.BYTES, false);
        for (int i = 0; i < n; i++) {
            copy(from, rows[first + i] * width, to, i * width, width, part);
        }
    }

    /** Copies rows back to where {@link #copyRows} takes them from. */
    static void copyRowsBack(float[] from, FloatBuffer to, int[] rows, int first, int n, int width, int part) {
        if (width == 1) {
            for (int i = 0; i < n; i++) {
                to.put(rows[first + i], from[i]);
            }
            return;
        }
        for (int i = 0; i < n; i++) {
            copy(from, i * width, to, rows[first + i] * width, width, part);
        }
    }

    static void copy(FloatBuffer from, int begin, FloatBuffer to, int at, int n, int part) {
        if (part == n) {
            to.put(at, from, begin, n);
            return;
        }
        for (int done = 0; done < n; done += part) {
            to.put(at + done, from, begin + done, Math.min(part, n - done));
        }
    }

    static void copy(FloatBuffer from, int begin, float[] to, int at, int n, int part) {
        if (part == n) {
            from.get(begin, to, at, n);
            return;
        }
        for (int done = 0; done < n; done += part) {
            from.get(begin + done, to, at + done, Math.min(part, n - done));
        }
    }

    static void copy(float[] from, int begin, FloatBuffer to, int at, int n, int part) {
        if (part == n) {
            to.put(at, from, begin, n);
            return;
        }
        for (int done = 0; done < n; done += part) {
            to.put(at + done, from, begin + done, Math.min(part, n - done));
        }
    }

    static void copy(ShortBuffer from, int begin, ShortBuffer to, int at, int n, int part) {
        if (part == n) {
            to.put(at, from, begin, n);
            return;
        }
        for (int done = 0; done < n; done += part) {
            to.put(at + done, from, begin + done, Math.min(part, n - done));
        }
    }

    static void copy(ShortBuffer from, int begin, short[] to, int at, int n, int part) {
        if (part == n) {
            from.get(begin, to, at, n);
            return;
        }
        for (int done = 0; done < n; done += part) {
            from.get(begin + done, to, at + done, Math.min(part, n - done));
        }
    }
}

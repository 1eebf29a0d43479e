package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one {@code ByKey} component, grouped by the slice that owns them with a counting pass; duplicates folded
 * first where the function says so. Gathers what goes out and scatters what comes back over the same grouping.
 */
final class KeySet {
    private final Reduction combine;
    private final boolean everySlice;
    /** The keys that are sent. */
    private final LongArray keys;
    /** Which sent key stands for a position of the caller; null where that is the position itself. */
    private final int @Nullable [] sentAs;
    /** The sent keys' indices, grouped by slice. */
    private final int[] order;
    /** Where each slice's group begins in {@link #order}; [slices + 1]. */
    private final int[] starts;

    private final int positions;
    /** The caller's positions grouped by slice, and where each group begins; the same as above without folding. */
    private final int[] positionOrder;

    private final int[] positionStarts;
    /** The row of each sent key in its slice's group; null without folding. */
    private final int @Nullable [] rowInGroup;

    KeySet(String name, LongArray given, Reduction combine, boolean everySlice, TensorLayout layout) {
        this.combine = combine;
        this.everySlice = everySlice;
        this.positions = given.length();
        if (combine == Reduction.NONE) {
            keys = given;
            sentAs = null;
        } else {
            sentAs = new int[positions];
            keys = unique(given, sentAs);
        }
        int n = keys.length();
        int slices = layout.slices();
        long[] bounds = new long[slices + 1];
        for (int s = 0; s <= slices; s++) {
            bounds[s] = layout.bounds().get(s);
        }
        int[] sliceOf = new int[n];
        starts = new int[slices + 1];
        double scale = (double) slices / layout.info().rows();
        for (int i = 0; i < n; i++) {
            long key = keys.get(i);
            if (key < 0 || key >= bounds[slices]) {
                throw new PsException(
                        PsException.Code.OUT_OF_RANGE,
                        name + "[" + firstPosition(i) + "]: " + key + " (expected: a row in [0, " + bounds[slices]
                                + "))");
            }
            int s = Math.min((int) (key * scale), slices - 1);
            while (key < bounds[s]) {
                s--;
            }
            while (key >= bounds[s + 1]) {
                s++;
            }
            sliceOf[i] = s;
            starts[s + 1]++;
        }
        order = group(sliceOf, starts);
        if (sentAs == null) {
            positionOrder = order;
            positionStarts = starts;
            rowInGroup = null;
        } else {
            rowInGroup = new int[n];
            for (int s = 0; s < slices; s++) {
                for (int i = starts[s]; i < starts[s + 1]; i++) {
                    rowInGroup[order[i]] = i - starts[s];
                }
            }
            int[] sliceOfPosition = new int[positions];
            positionStarts = new int[slices + 1];
            for (int p = 0; p < positions; p++) {
                sliceOfPosition[p] = sliceOf[sentAs[p]];
                positionStarts[sliceOfPosition[p] + 1]++;
            }
            positionOrder = group(sliceOfPosition, positionStarts);
        }
    }

    /** Turns counts, shifted by one, into starts, and answers the indices grouped by slice, each group in order. */
    private static int[] group(int[] sliceOf, int[] starts) {
        for (int s = 1; s < starts.length; s++) {
            starts[s] += starts[s - 1];
        }
        int[] at = Arrays.copyOf(starts, starts.length);
        int[] order = new int[sliceOf.length];
        for (int i = 0; i < order.length; i++) {
            order[at[sliceOf[i]]++] = i;
        }
        return order;
    }

    /** The distinct keys in the order of their first occurrence; an open-addressed table of indices. */
    private static LongArray unique(LongArray given, int[] sentAs) {
        int n = given.length();
        long[] found = new long[n];
        int capacity = (int) Math.min(1L << 30, (long) Integer.highestOneBit(Math.max(4, n)) << 2);
        int[] table = new int[capacity];
        int count = 0;
        for (int p = 0; p < n; p++) {
            long key = given.get(p);
            int at = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & (capacity - 1);
            while (table[at] != 0 && found[table[at] - 1] != key) {
                at = (at + 1) & (capacity - 1);
            }
            if (table[at] == 0) {
                found[count++] = key;
                table[at] = count;
            }
            sentAs[p] = table[at] - 1;
        }
        return LongArray.wrap(found, 0, count);
    }

    private int firstPosition(int sent) {
        if (sentAs == null) {
            return sent;
        }
        int p = 0;
        while (sentAs[p] != sent) {
            p++;
        }
        return p;
    }

    /** How many keys the caller gave. */
    int positions() {
        return positions;
    }

    boolean touches(int slice) {
        return everySlice || starts[slice + 1] > starts[slice];
    }

    /** How many keys a slice is sent. */
    int count(int slice) {
        return starts[slice + 1] - starts[slice];
    }

    void writeKeys(int slice, TupleWriter out) {
        out.rows(keys, order, starts[slice], starts[slice + 1], 1);
    }

    /** Writes the rows of an array, already folded, that go with a slice's keys. */
    void writeRows(int slice, SharedArray array, int width, TupleWriter out) {
        out.rows(array, order, starts[slice], starts[slice + 1], width);
    }

    /** Copies each row of a slice's answer to every position that asked for it. */
    void scatter(int slice, SharedArray answer, SharedArray target, int width) {
        for (int i = positionStarts[slice]; i < positionStarts[slice + 1]; i++) {
            target.copyRow(positionOrder[i], answer, row(slice, i), width);
        }
    }

    /** Groups rows of different lengths by slice; there is one row for each key that the caller gave. */
    RaggedRows ragged(String name, IntArray counts, SharedArray values) {
        int[] begins = RaggedRows.begins(counts, PsException.Code.BAD_REQUEST, name);
        int total = begins[positions];
        if (values.length() != total) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    name + " length: " + values.length() + " (expected: " + total + ", the sum of its counts)");
        }
        int[] elements = new int[total];
        int[] elementStarts = new int[starts.length];
        int at = 0;
        for (int s = 0; s + 1 < starts.length; s++) {
            for (int i = starts[s]; i < starts[s + 1]; i++) {
                for (int element = begins[order[i]]; element < begins[order[i] + 1]; element++) {
                    elements[at++] = element;
                }
            }
            elementStarts[s + 1] = at;
        }
        return new RaggedRows(values, elements, elementStarts);
    }

    /** Where each row of a slice's answer begins, of rows of different lengths, and the end of the last. */
    int[] answeredRows(int slice, IntArray counts) {
        int[] begins = new int[count(slice) + 1];
        for (int i = positionStarts[slice]; i < positionStarts[slice + 1]; i++) {
            begins[row(slice, i) + 1] = counts.get(positionOrder[i]);
        }
        for (int row = 1; row < begins.length; row++) {
            begins[row] += begins[row - 1];
        }
        return begins;
    }

    /**
     * Copies each row of a slice's answer, of different lengths, to every position that asked for it.
     *
     * @param from where each row of the answer begins
     * @param begins where each position's row begins in the target
     */
    void scatterRagged(int slice, int[] from, int[] begins, SharedArray answer, SharedArray target) {
        for (int i = positionStarts[slice]; i < positionStarts[slice + 1]; i++) {
            int row = row(slice, i);
            target.copyFrom(begins[positionOrder[i]], answer.slice(from[row], from[row + 1]));
        }
    }

    /** The row in a slice's group of what stands at index i of the positions grouped by slice. */
    private int row(int slice, int i) {
        return sentAs == null || rowInGroup == null ? i - positionStarts[slice] : rowInGroup[sentAs[positionOrder[i]]];
    }

    /** Combines the rows of positions that are sent as one key: [positions, width] to [keys, width]. */
    SharedArray fold(SharedArray array, int width) {
        if (sentAs == null || keys.length() == positions) {
            return array;
        }
        int n = keys.length() * width;
        if (array instanceof FloatArray floats) {
            return FloatArray.wrap(fold(floats.toArray(), new float[n], width));
        } else if (array instanceof DoubleArray doubles) {
            return DoubleArray.wrap(fold(doubles.toArray(), new double[n], width));
        } else if (array instanceof LongArray longs) {
            return LongArray.wrap(fold(longs.toArray(), new long[n], width));
        } else if (array instanceof IntArray ints) {
            IntArray folded = IntArray.allocate(n);
            long[] wide = fold(widened(positions * width, ints::get), new long[n], width);
            for (int i = 0; i < n; i++) {
                folded.set(i, (int) wide[i]);
            }
            return folded;
        }
        ByteArray bytes = (ByteArray) array;
        ByteArray folded = ByteArray.allocate(n);
        long[] wide = fold(widened(positions * width, bytes::get), new long[n], width);
        for (int i = 0; i < n; i++) {
            folded.set(i, (byte) wide[i]);
        }
        return folded;
    }

    private static long[] widened(int n, IntToLongFunction element) {
        long[] values = new long[n];
        Arrays.setAll(values, element);
        return values;
    }

    private float[] fold(float[] from, float[] to, int width) {
        boolean[] seen = new boolean[keys.length()];
        for (int p = 0; p < positions; p++) {
            int sent = sent(p);
            for (int c = 0; c < width; c++) {
                float value = from[p * width + c];
                int at = sent * width + c;
                to[at] = !seen[sent]
                        ? value
                        : switch (combine) {
                            case SUM -> to[at] + value;
                            case MIN -> Math.min(to[at], value);
                            case MAX -> Math.max(to[at], value);
                            default -> value;
                        };
            }
            seen[sent] = true;
        }
        return to;
    }

    private double[] fold(double[] from, double[] to, int width) {
        boolean[] seen = new boolean[keys.length()];
        for (int p = 0; p < positions; p++) {
            int sent = sent(p);
            for (int c = 0; c < width; c++) {
                double value = from[p * width + c];
                int at = sent * width + c;
                to[at] = !seen[sent]
                        ? value
                        : switch (combine) {
                            case SUM -> to[at] + value;
                            case MIN -> Math.min(to[at], value);
                            case MAX -> Math.max(to[at], value);
                            default -> value;
                        };
            }
            seen[sent] = true;
        }
        return to;
    }

    private long[] fold(long[] from, long[] to, int width) {
        boolean[] seen = new boolean[keys.length()];
        for (int p = 0; p < positions; p++) {
            int sent = sent(p);
            for (int c = 0; c < width; c++) {
                long value = from[p * width + c];
                int at = sent * width + c;
                to[at] = !seen[sent]
                        ? value
                        : switch (combine) {
                            case SUM -> to[at] + value;
                            case MIN -> Math.min(to[at], value);
                            case MAX -> Math.max(to[at], value);
                            default -> value;
                        };
            }
            seen[sent] = true;
        }
        return to;
    }

    private int sent(int position) {
        return sentAs == null ? position : sentAs[position];
    }
}

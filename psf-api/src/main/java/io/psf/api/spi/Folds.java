package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.List;

/** The folds of {@code Reduce}, in the order of the parts. */
public final class Folds {
    private Folds() {}

    /** Folds booleans with AND or OR. */
    public static boolean fold(Reduction reduction, boolean[] parts) {
        boolean and = reduction == Reduction.AND;
        for (boolean part : parts) {
            if (part != and) {
                return !and;
            }
        }
        return and;
    }

    /** Folds integers of any size with SUM, MIN or MAX; of none, SUM is 0 and MIN and MAX are what is given. */
    public static long fold(Reduction reduction, long[] parts, long least, long greatest) {
        long folded = reduction == Reduction.SUM ? 0 : reduction == Reduction.MIN ? greatest : least;
        for (long part : parts) {
            folded = switch (reduction) {
                case SUM -> folded + part;
                case MIN -> Math.min(folded, part);
                default -> Math.max(folded, part);
            };
        }
        return folded;
    }

    /** Folds floats with SUM, MIN or MAX; of none, SUM is 0, MIN and MAX are the infinities. */
    public static double fold(Reduction reduction, double[] parts) {
        double folded = reduction == Reduction.SUM
                ? 0
                : reduction == Reduction.MIN ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
        for (double part : parts) {
            folded = switch (reduction) {
                case SUM -> folded + part;
                case MIN -> Math.min(folded, part);
                default -> Math.max(folded, part);
            };
        }
        return folded;
    }

    /**
     * Folds arrays of one length, element by element, into the first of them.
     *
     * @param parts at least one, on the heap
     * @param none what is answered if there is no part
     */
    public static <A extends SharedArray> A fold(Reduction reduction, String name, List<A> parts, A none) {
        if (parts.isEmpty()) {
            return none;
        }
        A first = parts.get(0);
        for (A part : parts.subList(1, parts.size())) {
            if (part.length() != first.length()) {
                throw new PsException(
                        PsException.Code.HANDLER_FAILED,
                        "lengths of " + name + " in the slices' answers: " + first.length() + " and " + part.length()
                                + " (expected: the same)");
            }
            for (int i = 0; i < first.length(); i++) {
                foldElement(reduction, first, i, part, i);
            }
        }
        return first;
    }

    private static void foldElement(Reduction reduction, SharedArray into, int i, SharedArray from, int j) {
        if (into instanceof FloatArray a && from instanceof FloatArray b) {
            a.set(i, (float) fold(reduction, a.get(i), b.get(j)));
        } else if (into instanceof DoubleArray a && from instanceof DoubleArray b) {
            a.set(i, fold(reduction, a.get(i), b.get(j)));
        } else if (into instanceof LongArray a && from instanceof LongArray b) {
            a.set(i, fold(reduction, a.get(i), b.get(j)));
        } else if (into instanceof IntArray a && from instanceof IntArray b) {
            a.set(i, (int) fold(reduction, (long) a.get(i), b.get(j)));
        } else if (into instanceof ByteArray a && from instanceof ByteArray b) {
            a.set(i, (byte) fold(reduction, (long) a.get(i), b.get(j)));
        }
    }

    /**
     * Folds rows of one array, [_, width], one after the other, into rows of another of the same type.
     *
     * @param to which rows of {@code into}
     * @param at which rows of {@code from}, [n] as {@code to}
     * @param begin the first of {@code to} and {@code at}
     * @param end one past their last
     */
    static void rows(
            Reduction reduction,
            SharedArray into,
            int[] to,
            SharedArray from,
            int[] at,
            int begin,
            int end,
            int width) {
        if (into instanceof FloatArray a && from instanceof FloatArray b) {
            rows(reduction, a, to, b, at, begin, end, width);
            return;
        }
        for (int i = begin; i < end; i++) {
            for (int c = 0; c < width; c++) {
                foldElement(reduction, into, to[i] * width + c, from, at[i] * width + c);
            }
        }
    }

    /** Through rows on the heap: most rows that are folded are gradients. */
    private static void rows(
            Reduction reduction, FloatArray into, int[] to, FloatArray from, int[] at, int begin, int end, int width) {
        float[] folded = new float[width];
        float[] more = new float[width];
        for (int i = begin; i < end; i++) {
            into.copyTo(to[i] * width, folded, 0, width);
            from.copyTo(at[i] * width, more, 0, width);
            switch (reduction) {
                case SUM -> {
                    for (int c = 0; c < width; c++) {
                        folded[c] += more[c];
                    }
                }
                case MIN -> {
                    for (int c = 0; c < width; c++) {
                        folded[c] = Math.min(folded[c], more[c]);
                    }
                }
                default -> {
                    for (int c = 0; c < width; c++) {
                        folded[c] = Math.max(folded[c], more[c]);
                    }
                }
            }
            into.copyFrom(to[i] * width, folded, 0, width);
        }
    }

    private static double fold(Reduction reduction, double a, double b) {
        return switch (reduction) {
            case SUM -> a + b;
            case MIN -> Math.min(a, b);
            default -> Math.max(a, b);
        };
    }

    private static long fold(Reduction reduction, long a, long b) {
        return switch (reduction) {
            case SUM -> a + b;
            case MIN -> Math.min(a, b);
            default -> Math.max(a, b);
        };
    }
}

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
                foldElement(reduction, first, part, i);
            }
        }
        return first;
    }

    private static void foldElement(Reduction reduction, SharedArray into, SharedArray from, int i) {
        if (into instanceof FloatArray a && from instanceof FloatArray b) {
            a.set(i, (float) fold(reduction, a.get(i), b.get(i)));
        } else if (into instanceof DoubleArray a && from instanceof DoubleArray b) {
            a.set(i, fold(reduction, a.get(i), b.get(i)));
        } else if (into instanceof LongArray a && from instanceof LongArray b) {
            a.set(i, fold(reduction, a.get(i), b.get(i)));
        } else if (into instanceof IntArray a && from instanceof IntArray b) {
            a.set(i, (int) fold(reduction, (long) a.get(i), b.get(i)));
        } else if (into instanceof ByteArray a && from instanceof ByteArray b) {
            a.set(i, (byte) fold(reduction, (long) a.get(i), b.get(i)));
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

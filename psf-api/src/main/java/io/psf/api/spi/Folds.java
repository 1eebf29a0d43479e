package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Implements the folds of {@code Reduce}, in the order of the parts. */
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

    /**
     * Folds integers of any size with SUM, MIN or MAX. If there are no parts, SUM is 0, MIN is {@code greatest} and MAX
     * is {@code least}. A sum wraps around; narrowed to the parts' own type, it is their sum in that type.
     */
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

    /**
     * Folds floats with SUM, MIN or MAX. If there are no parts, SUM is 0, MIN is positive infinity and MAX is negative
     * infinity.
     */
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
     * Folds maps key by key, with the fold of the single values. A part that does not have a key does not contribute to
     * it. The keys are in the order of their first occurrence.
     *
     * @param parts maps to boxed numbers or booleans, all of one class
     * @return an unmodifiable map
     */
    public static <V> Map<String, V> fold(Reduction reduction, List<Map<String, V>> parts) {
        Map<String, List<V>> values = new LinkedHashMap<>();
        for (Map<String, V> part : parts) {
            part.forEach((key, value) ->
                    values.computeIfAbsent(key, each -> new ArrayList<>()).add(value));
        }
        Map<String, V> folded = new LinkedHashMap<>();
        values.forEach((key, each) -> folded.put(key, value(reduction, each)));
        return Collections.unmodifiableMap(folded);
    }

    /** Folds at least one value, all of one class. */
    @SuppressWarnings("unchecked") // each value is cast to its own class
    private static <V> V value(Reduction reduction, List<V> values) {
        V first = values.get(0);
        Object folded;
        if (first instanceof Boolean) {
            boolean[] parts = new boolean[values.size()];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = (Boolean) values.get(i);
            }
            folded = fold(reduction, parts);
        } else if (first instanceof Float || first instanceof Double) {
            double sum = fold(
                    reduction,
                    values.stream()
                            .mapToDouble(each -> ((Number) each).doubleValue())
                            .toArray());
            folded = first instanceof Double ? (Object) sum : (Object) (float) sum;
        } else {
            long sum = fold(
                    reduction,
                    values.stream()
                            .mapToLong(each -> ((Number) each).longValue())
                            .toArray(),
                    Long.MIN_VALUE,
                    Long.MAX_VALUE);
            folded = first instanceof Long
                    ? (Object) sum
                    : first instanceof Integer
                            ? (Object) (int) sum
                            : first instanceof Short ? (Object) (short) sum : (Object) (byte) sum;
        }
        return (V) folded;
    }

    /**
     * Folds arrays of the same length, element by element, into the first array.
     *
     * @param parts the arrays, on-heap
     * @param none the result if there are no parts
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
     * Folds rows of one array, [_, width], one after the other, into rows of another array of the same type.
     *
     * @param to the rows of {@code into}
     * @param at the rows of {@code from}, [n] as {@code to}
     * @param begin the first index in {@code to} and {@code at}
     * @param end one past the last index
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

    /** Folds through on-heap copies of the rows: most folded rows are float32 gradients. */
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

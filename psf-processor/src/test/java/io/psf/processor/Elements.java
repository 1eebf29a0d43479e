package io.psf.processor;

import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduction;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Elements of shared arrays, and numbers of any type, one by one. */
final class Elements {
    private Elements() {}

    /** Random elements of an array's class. */
    static List<Object> random(Class<?> array, int n, Random random) {
        List<Object> elements = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            elements.add(random(array, random));
        }
        return elements;
    }

    /** Floats are such that sums of a few are exact. */
    private static Object random(Class<?> array, Random random) {
        int small = random.nextInt(64) - 32;
        if (array == FloatArray.class) {
            return small / 4f;
        } else if (array == DoubleArray.class) {
            return small / 4d;
        } else if (array == LongArray.class) {
            return random.nextLong();
        } else if (array == IntArray.class) {
            return random.nextInt();
        }
        return (byte) random.nextInt();
    }

    /** A random number or boolean; floats as above. */
    static Object scalar(Class<?> type, Random random) {
        int small = random.nextInt(64) - 32;
        if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == float.class) {
            return small / 4f;
        } else if (type == double.class) {
            return small / 4d;
        } else if (type == long.class) {
            return random.nextLong();
        } else if (type == int.class) {
            return random.nextInt();
        } else if (type == short.class) {
            return (short) random.nextInt();
        }
        return (byte) random.nextInt();
    }

    /** The zero of a number, or false. */
    static Object zeroOf(Class<?> type) {
        return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0);
    }

    static SharedArray array(Class<?> type, List<?> elements) {
        int n = elements.size();
        if (type == FloatArray.class) {
            FloatArray array = FloatArray.allocate(n);
            for (int i = 0; i < n; i++) {
                array.set(i, (Float) elements.get(i));
            }
            return array;
        } else if (type == DoubleArray.class) {
            return DoubleArray.wrap(
                    elements.stream().mapToDouble(each -> (Double) each).toArray());
        } else if (type == LongArray.class) {
            return LongArray.wrap(
                    elements.stream().mapToLong(each -> (Long) each).toArray());
        } else if (type == IntArray.class) {
            return IntArray.wrap(
                    elements.stream().mapToInt(each -> (Integer) each).toArray());
        }
        ByteArray array = ByteArray.allocate(n);
        for (int i = 0; i < n; i++) {
            array.set(i, (Byte) elements.get(i));
        }
        return array;
    }

    /** The zero of an array's elements. */
    static Object zero(Class<?> array) {
        return array == FloatArray.class
                ? (Object) 0f
                : array == DoubleArray.class
                        ? (Object) 0d
                        : array == LongArray.class
                                ? (Object) 0L
                                : array == IntArray.class ? (Object) 0 : (Object) (byte) 0;
    }

    /** What numbers or booleans fold to, in their order; at least one. */
    static Object fold(Reduction reduction, List<?> values) {
        Object folded = values.get(0);
        for (Object each : values.subList(1, values.size())) {
            folded = fold(reduction, folded, each);
        }
        return folded;
    }

    private static Object fold(Reduction reduction, Object a, Object b) {
        if (reduction == Reduction.LAST) {
            return b;
        } else if (a instanceof Boolean x && b instanceof Boolean y) {
            return reduction == Reduction.AND ? x && y : x || y;
        } else if (a instanceof Float x && b instanceof Float y) {
            return reduction == Reduction.SUM ? x + y : reduction == Reduction.MIN ? Math.min(x, y) : Math.max(x, y);
        } else if (a instanceof Double x && b instanceof Double y) {
            return reduction == Reduction.SUM ? x + y : reduction == Reduction.MIN ? Math.min(x, y) : Math.max(x, y);
        }
        long x = ((Number) a).longValue();
        long y = ((Number) b).longValue();
        long folded = reduction == Reduction.SUM ? x + y : reduction == Reduction.MIN ? Math.min(x, y) : Math.max(x, y);
        return a instanceof Long
                ? (Object) folded
                : a instanceof Integer
                        ? (Object) (int) folded
                        : a instanceof Short ? (Object) (short) folded : (Object) (byte) folded;
    }

    /** What a fold of nothing is, for the class of a component. */
    static Object none(Reduction reduction, Class<?> type) {
        boolean least = reduction == Reduction.MAX;
        if (type == boolean.class) {
            return reduction == Reduction.AND;
        } else if (type == float.class) {
            return reduction == Reduction.SUM ? 0f : least ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY;
        } else if (type == double.class) {
            return reduction == Reduction.SUM ? 0d : least ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        } else if (type == long.class) {
            return reduction == Reduction.SUM ? 0L : least ? Long.MIN_VALUE : Long.MAX_VALUE;
        } else if (type == int.class) {
            return reduction == Reduction.SUM ? 0 : least ? Integer.MIN_VALUE : Integer.MAX_VALUE;
        } else if (type == short.class) {
            return reduction == Reduction.SUM ? (short) 0 : least ? Short.MIN_VALUE : Short.MAX_VALUE;
        }
        return reduction == Reduction.SUM ? (byte) 0 : least ? Byte.MIN_VALUE : Byte.MAX_VALUE;
    }
}

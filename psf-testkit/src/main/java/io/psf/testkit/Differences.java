package io.psf.testkit;

import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import io.psf.api.layout.Reduce;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the first difference of two answers, component by component. */
final class Differences {
    private final double reduced;
    private final double others;

    /**
     * @param reduced the relative tolerance of floats in a component with {@link Reduce}
     * @param others the relative tolerance of other floats; relative to the larger of the two
     */
    Differences(double reduced, double others) {
        this.reduced = reduced;
        this.others = others;
    }

    /**
     * Returns the first difference.
     *
     * @param where the name of the compared values, for example {@code response}
     * @return the path of the difference and the two values; null if there is none
     */
    @Nullable
    Difference between(String where, @Nullable Object one, @Nullable Object other) {
        return between(where, one, other, others);
    }

    /** Two values that should be equal, and their path. */
    record Difference(String where, String one, String other) {}

    private @Nullable Difference between(String where, @Nullable Object one, @Nullable Object other, double tolerance) {
        if (one == null || other == null) {
            return one == other ? null : differ(where, one, other);
        } else if (one instanceof List<?> a && other instanceof List<?> b) {
            return ofArrays(where, a.toArray(), b.toArray(), tolerance);
        } else if (one instanceof Map<?, ?> a && other instanceof Map<?, ?> b) {
            return ofMaps(where, a, b, tolerance);
        } else if (one.getClass() != other.getClass()) {
            return differ(where, one, other);
        } else if (one instanceof Record) {
            return ofRecords(where, one, other, tolerance);
        } else if (one instanceof SharedArray a && other instanceof SharedArray b) {
            return ofArrays(where, elements(a), elements(b), tolerance);
        } else if (one.getClass().isArray()) {
            return ofArrays(where, one, other, tolerance);
        } else if ((one instanceof Float || one instanceof Double) && other instanceof Number number) {
            return near(((Number) one).doubleValue(), number.doubleValue(), tolerance)
                    ? null
                    : differ(where, one, other);
        }
        return one.equals(other) ? null : differ(where, one, other);
    }

    private static boolean near(double a, double b, double tolerance) {
        return Double.compare(a, b) == 0 || a == b || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
    }

    private @Nullable Difference ofRecords(String where, Object one, Object other, double tolerance) {
        for (RecordComponent component : one.getClass().getRecordComponents()) {
            Difference difference = between(
                    where + "." + component.getName(),
                    get(component, one),
                    get(component, other),
                    component.isAnnotationPresent(Reduce.class) ? reduced : tolerance);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private @Nullable Difference ofArrays(String where, Object one, Object other, double tolerance) {
        if (Array.getLength(one) != Array.getLength(other)) {
            return differ("length of " + where, Array.getLength(one), Array.getLength(other));
        }
        for (int i = 0; i < Array.getLength(one); i++) {
            Difference difference = between(where + "[" + i + "]", Array.get(one, i), Array.get(other, i), tolerance);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    /** Compares maps. Ignores the order of the keys, since it may be the order of a handler's hash map. */
    private @Nullable Difference ofMaps(String where, Map<?, ?> one, Map<?, ?> other, double tolerance) {
        if (!one.keySet().equals(other.keySet())) {
            return differ("keys of " + where, one.keySet(), other.keySet());
        }
        for (Map.Entry<?, ?> entry : one.entrySet()) {
            Difference difference = between(
                    where + "[\"" + entry.getKey() + "\"]", entry.getValue(), other.get(entry.getKey()), tolerance);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private static Difference differ(String where, @Nullable Object one, @Nullable Object other) {
        return new Difference(where, String.valueOf(one), String.valueOf(other));
    }

    private static Object elements(SharedArray array) {
        return switch (array.type()) {
            case BYTE -> ((ByteArray) array).toArray();
            case INT -> ((IntArray) array).toArray();
            case LONG -> ((LongArray) array).toArray();
            case FLOAT -> ((FloatArray) array).toArray();
            case DOUBLE -> ((DoubleArray) array).toArray();
        };
    }

    private static @Nullable Object get(RecordComponent component, Object record) {
        try {
            component.getAccessor().setAccessible(true); // the function may be private to the test's package
            return component.getAccessor().invoke(record);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("component " + component + ": cannot be read", e);
        }
    }
}

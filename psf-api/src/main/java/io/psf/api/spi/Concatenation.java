package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.ElementType;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Merges arrays that the servers produced: concatenates the parts' answers in slice order. */
public final class Concatenation {
    private Concatenation() {}

    /**
     * Returns one array of all parts.
     *
     * @param parts the arrays by part, on-heap; null where a server did not send the array
     * @param allocate creates an array of the parts' type
     */
    public static <A extends SharedArray> A of(@Nullable A[] parts, IntFunction<A> allocate) {
        long length = 0;
        for (A part : parts) {
            length += part == null ? 0 : part.length();
        }
        A all = allocate.apply(length(length));
        int at = 0;
        for (A part : parts) {
            if (part != null) {
                all.copyFrom(at, part);
                at += part.length();
            }
        }
        return all;
    }

    /** Returns a list of one list for each part, empty until it is set: an older server sends none. */
    public static <T> List<List<T>> lists(int parts) {
        return new ArrayList<>(Collections.nCopies(parts, List.of()));
    }

    /** Returns one unmodifiable list of all parts' elements. */
    public static <T> List<T> of(List<List<T>> parts) {
        return parts.stream().flatMap(List::stream).toList();
    }

    /** Returns a list of one map for each part, empty until it is set: an older server sends none. */
    public static <V> List<Map<String, V>> maps(int parts) {
        return new ArrayList<>(Collections.nCopies(parts, Map.of()));
    }

    /**
     * Returns one unmodifiable map of all parts' entries, in the order of the parts.
     *
     * @param name the component, for errors
     * @throws PsException with {@code HANDLER_FAILED} if two parts have the same key
     */
    public static <V> Map<String, V> union(String name, List<Map<String, V>> parts) {
        Map<String, V> all = new LinkedHashMap<>();
        for (Map<String, V> part : parts) {
            part.forEach((key, value) -> {
                if (all.putIfAbsent(key, value) != null) {
                    throw new PsException(
                            PsException.Code.HANDLER_FAILED,
                            "key \"" + key + "\" of " + name + " in the answers of several slices (expected: in one of"
                                    + " them; use @Reduce to fold the values of a key, or write your own merge)");
                }
            });
        }
        return Collections.unmodifiableMap(all);
    }

    /**
     * Returns one array, [keys, width], of the rows along keys that the servers produced. The rows are zeros where a
     * server sent keys but not the rows.
     *
     * @param name the component, for errors
     * @param keys the keys by part
     * @param width elements in a row
     * @throws PsException with {@code HANDLER_FAILED} if a part does not have one row for each of its keys
     */
    public static <A extends SharedArray> A along(
            String name, @Nullable A[] parts, @Nullable LongArray[] keys, int width, IntFunction<A> allocate) {
        int[] lengths = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            LongArray partKeys = keys[i];
            lengths[i] = partKeys == null ? 0 : length((long) partKeys.length() * width);
        }
        return ofLengths(name, parts, lengths, allocate);
    }

    /**
     * Returns one array of rows of different lengths along keys that the servers produced. The rows are zeros where a
     * server sent lengths but not the rows.
     *
     * @param name the component, for errors
     * @param counts the rows' lengths by part
     * @throws PsException with {@code HANDLER_FAILED} if a part's rows do not have the lengths that the part sent
     */
    public static <A extends SharedArray> A ragged(
            String name, @Nullable A[] parts, @Nullable IntArray[] counts, IntFunction<A> allocate) {
        int[] lengths = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            IntArray partCounts = counts[i];
            if (partCounts != null) {
                lengths[i] = RaggedRows.begins(partCounts, PsException.Code.HANDLER_FAILED, name)[partCounts.length()];
            }
        }
        return ofLengths(name, parts, lengths, allocate);
    }

    /** Concatenates parts. All parts are checked before any allocation, since the lengths come from the servers. */
    private static <A extends SharedArray> A ofLengths(
            String name, @Nullable A[] parts, int[] lengths, IntFunction<A> allocate) {
        long total = 0;
        for (int i = 0; i < parts.length; i++) {
            A part = parts[i];
            if (part != null) {
                Routing.requireAnswer(name, part.length(), lengths[i]);
            }
            total += lengths[i];
        }
        A all = allocate.apply(length(total));
        int at = 0;
        for (int i = 0; i < parts.length; i++) {
            A part = parts[i];
            if (part != null) {
                all.copyFrom(at, part);
            }
            at += lengths[i];
        }
        return all;
    }

    static SharedArray zeros(ElementType type, int n) {
        return switch (type) {
            case BYTE -> ByteArray.allocate(n);
            case INT -> IntArray.allocate(n);
            case LONG -> LongArray.allocate(n);
            case FLOAT -> FloatArray.allocate(n);
            case DOUBLE -> DoubleArray.allocate(n);
        };
    }

    static int length(long length) {
        if (length > Integer.MAX_VALUE - 8) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "elements in one array: " + length + " (expected: at most " + (Integer.MAX_VALUE - 8)
                            + "; request less at once)");
        }
        return (int) length;
    }
}

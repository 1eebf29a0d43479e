package io.psf.kvstore;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The keys of a {@link KVStore}, all strings or all integers, and their tensors. Used by one thread. */
final class KVStoreKeys {
    private final Map<Object, TensorId> tensors = new LinkedHashMap<>();

    /** Returns the tensors of all keys that have been used. */
    List<TensorId> tensors() {
        return List.copyOf(tensors.values());
    }

    /**
     * Returns the tensor of a key.
     *
     * @throws PsException with {@code BAD_REQUEST} if the key is no string or integer, or an earlier key was of the
     *     other kind, or the string is not a valid name
     */
    TensorId of(Object key) {
        TensorId known = tensors.get(key);
        if (known != null) {
            return known;
        }
        if (!(key instanceof String) && !(key instanceof Integer)) {
            throw refused(key, "a String or an Integer");
        }
        for (Object other : tensors.keySet()) {
            if (other.getClass() != key.getClass()) {
                throw refused(key, "of the kind of the store's other keys, such as " + text(other));
            }
            break;
        }
        try {
            TensorId tensor = TensorId.of(key.toString());
            tensors.put(key, tensor);
            return tensor;
        } catch (IllegalArgumentException e) {
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Returns the tensors of keys.
     *
     * @param values the number of values that belong to the keys
     * @throws PsException as {@link #of}; with {@code BAD_REQUEST} if there are more or fewer values
     */
    List<TensorId> all(List<?> keys, int values) {
        if (keys.size() != values) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "arrays for the keys: " + values + " (expected: " + keys.size() + ", one for each key)");
        }
        return keys.stream().map(this::of).toList();
    }

    /**
     * As {@link #all}, for keys that are changed.
     *
     * @throws PsException as {@link #all}; with {@code BAD_REQUEST} if a key occurs twice
     */
    List<TensorId> distinct(List<?> keys, int values) {
        Set<Object> seen = new LinkedHashSet<>();
        for (Object key : keys) {
            if (!seen.add(key)) {
                throw refused(key, "each key once; it occurs twice");
            }
        }
        return all(keys, values);
    }

    private static PsException refused(Object key, String expected) {
        return new PsException(PsException.Code.BAD_REQUEST, "key: " + text(key) + " (expected: " + expected + ")");
    }

    /** Returns a key and its kind, for messages. */
    private static String text(Object key) {
        return key instanceof String
                ? "the String \"" + key + "\""
                : "the " + key.getClass().getSimpleName() + " " + key;
    }
}

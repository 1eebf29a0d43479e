package io.psf.api.spi;

import io.psf.api.PsException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the null components of a tuple that could not be written. */
public final class Nulls {
    /** The most components that are named. */
    private static final int MOST = 5;

    private Nulls() {}

    /**
     * Returns an exception that names the null components; returns {@code cause} if none is null that must not be.
     *
     * @param tuple a request or a response
     * @param code the code of the failure: {@code BAD_REQUEST} or {@code HANDLER_FAILED}
     */
    public static RuntimeException named(Object tuple, PsException.Code code, NullPointerException cause) {
        List<String> nulls = in(tuple);
        return nulls.isEmpty()
                ? cause
                : new PsException(
                        code,
                        String.join(", ", nulls) + ": null (expected: a value, since it is not @Nullable)",
                        cause);
    }

    /**
     * Returns the first components that are null and not marked {@code Nullable}, for example
     * {@code Request.bounds[1].low}; may be empty.
     */
    static List<String> in(Object tuple) {
        return in(tuple.getClass().getSimpleName(), tuple).limit(MOST).toList();
    }

    private static Stream<String> in(String path, @Nullable Object value) {
        if (value == null) {
            return Stream.of(path);
        } else if (value instanceof Record) {
            return Arrays.stream(value.getClass().getRecordComponents())
                    .flatMap(component -> in(path, component, get(component, value)));
        } else if (value instanceof List<?> list) {
            return Stream.iterate(0, i -> i < list.size(), i -> i + 1)
                    .flatMap(i -> in(path + "[" + i + "]", list.get(i)));
        } else if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .flatMap(entry -> entry.getKey() == null
                            ? Stream.of("a key of " + path)
                            : in(path + "[\"" + entry.getKey() + "\"]", entry.getValue()));
        }
        return Stream.of();
    }

    private static Stream<String> in(String path, RecordComponent component, @Nullable Object value) {
        return value == null && isNullable(component) ? Stream.of() : in(path + "." + component.getName(), value);
    }

    private static boolean isNullable(RecordComponent component) {
        return Stream.of(
                        component.getAnnotations(),
                        component.getAnnotatedType().getAnnotations(),
                        component.getAccessor().getAnnotations())
                .flatMap(Arrays::stream)
                .anyMatch(each -> each.annotationType().getSimpleName().equals("Nullable"));
    }

    /** Returns a component's value. If the value cannot be read, returns an object that is not null. */
    private static @Nullable Object get(RecordComponent component, Object of) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return component;
        }
    }
}

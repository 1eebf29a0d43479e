package io.psf.runtime.call;

import io.psf.api.PsException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what is null in a request that could not be written. */
final class Nulls {
    private Nulls() {}

    /** Names what is null; the same exception if nothing is that might not be. */
    static RuntimeException named(Object request, NullPointerException cause) {
        List<String> nulls = in(request);
        return nulls.isEmpty()
                ? cause
                : new PsException(
                        PsException.Code.BAD_REQUEST,
                        String.join(", ", nulls) + ": null (expected: a value, since it is not @Nullable)",
                        cause);
    }

    /** The components that are null and not marked {@code Nullable}, for example {@code bounds[1].low}; may be none. */
    static List<String> in(Object request) {
        return in("", request).toList();
    }

    private static Stream<String> in(String path, @Nullable Object value) {
        if (value == null) {
            return Stream.of(path);
        } else if (value instanceof Record) {
            return Arrays.stream(value.getClass().getRecordComponents())
                    .filter(component -> !isNullable(component))
                    .flatMap(component ->
                            in((path.isEmpty() ? "" : path + ".") + component.getName(), get(component, value)));
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

    private static boolean isNullable(RecordComponent component) {
        return Stream.of(
                        component.getAnnotations(),
                        component.getAnnotatedType().getAnnotations(),
                        component.getAccessor().getAnnotations())
                .flatMap(Arrays::stream)
                .anyMatch(each -> each.annotationType().getSimpleName().equals("Nullable"));
    }

    /** A component's value; where it cannot be read, something that is not null. */
    private static @Nullable Object get(RecordComponent component, Object of) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return component;
        }
    }
}

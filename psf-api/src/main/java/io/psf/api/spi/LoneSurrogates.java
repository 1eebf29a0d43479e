package io.psf.api.spi;

import io.psf.api.Names;
import io.psf.api.PsException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the texts of a tuple that could not be written because they contain half of a surrogate pair. */
public final class LoneSurrogates {
    private LoneSurrogates() {}

    /**
     * Returns an exception that names the first such text; returns {@code cause} if there is none.
     *
     * @param tuple a request or a response
     * @param code the code of the failure: {@code BAD_REQUEST} or {@code HANDLER_FAILED}
     */
    public static RuntimeException named(Object tuple, PsException.Code code, IllegalArgumentException cause) {
        return in(tuple.getClass().getSimpleName(), tuple)
                .findFirst()
                .<RuntimeException>map(what -> new PsException(code, what, cause))
                .orElse(cause);
    }

    private static Stream<String> in(String path, @Nullable Object value) {
        if (value instanceof String text) {
            int lone = Names.loneSurrogate(text);
            return lone < 0 ? Stream.of() : Stream.of(path + ": " + Names.lone(text, lone));
        } else if (value instanceof Record) {
            return Arrays.stream(value.getClass().getRecordComponents())
                    .flatMap(component -> in(path + "." + component.getName(), get(component, value)));
        } else if (value instanceof List<?> list) {
            return Stream.iterate(0, i -> i < list.size(), i -> i + 1)
                    .flatMap(i -> in(path + "[" + i + "]", list.get(i)));
        } else if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .flatMap(entry -> Stream.concat(
                            in("a key of " + path, entry.getKey()),
                            in(path + "[\"" + entry.getKey() + "\"]", entry.getValue())));
        }
        return Stream.of();
    }

    /** Returns a component's value; null if the value cannot be read. */
    private static @Nullable Object get(RecordComponent component, Object of) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}

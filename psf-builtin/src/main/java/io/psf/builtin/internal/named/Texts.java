package io.psf.builtin.internal.named;

import io.psf.api.spi.NamedProvider;
import io.psf.api.spi.ServiceClassPath;
import java.lang.annotation.Annotation;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Named arguments as texts. */
public final class Texts {
    private Texts() {}

    /** Returns the texts of values, by the same names. */
    public static Map<String, String> of(Map<String, ?> values) {
        Map<String, String> texts = new TreeMap<>();
        values.forEach((name, value) -> texts.put(name, String.valueOf(value)));
        return texts;
    }

    /**
     * Returns the annotation of a record's class or of one of its constructors.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static <A extends Annotation> A annotation(Record object, Class<A> kind) {
        Class<?> type = object.getClass();
        return Stream.concat(Stream.of(type), Stream.of(type.getConstructors()))
                .map(each -> each.getAnnotation(kind))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        type.getName() + ": no @" + kind.getSimpleName() + " (expected: a record with one)"));
    }

    /**
     * Returns the values of a record's components that are arguments of its annotated constructor.
     *
     * @throws IllegalArgumentException if the processor has written no provider for the class
     */
    public static Map<String, String> arguments(Record object, Class<? extends Annotation> kind, String name) {
        NamedClasses here = NamedClasses.on(ServiceClassPath.of(object.getClass()), kind);
        NamedProvider provider = here.find(name)
                .orElseThrow(
                        () -> new IllegalArgumentException(object.getClass().getName() + ": not listed as \"" + name
                                + "\" (expected: compiled with psf-processor)"));
        Map<String, String> texts = new TreeMap<>();
        for (String each : provider.arguments()) {
            texts.put(each, String.valueOf(value(object, each)));
        }
        return texts;
    }

    private static Object value(Record object, String name) {
        for (RecordComponent each : object.getClass().getRecordComponents()) {
            if (each.getName().equals(name)) {
                try {
                    return each.getAccessor().invoke(object);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalArgumentException(
                            object.getClass().getName() + "." + name + ": not accessible (expected: a public record)",
                            e);
                }
            }
        }
        throw new IllegalArgumentException(
                object.getClass().getName() + ": no component " + name + " (expected: one for each argument)");
    }
}

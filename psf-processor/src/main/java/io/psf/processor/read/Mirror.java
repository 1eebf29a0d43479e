package io.psf.processor.read;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import org.jspecify.annotations.Nullable;

/**
 * An annotation on an element.
 *
 * @param type the annotation's class
 * @param mirror the compiler's representation of the annotation
 * @param elements provides the values that are not written
 */
record Mirror(Class<?> type, AnnotationMirror mirror, Elements elements) {
    /** The compiler's text for a value that it could not resolve. */
    private static final String ERROR = "<error>";

    static Optional<Mirror> of(Element element, Class<?> type, Elements elements) {
        for (AnnotationMirror mirror : element.getAnnotationMirrors()) {
            TypeElement annotation = (TypeElement) mirror.getAnnotationType().asElement();
            if (annotation.getQualifiedName().contentEquals(type.getName())) {
                return Optional.of(new Mirror(type, mirror, elements));
            }
        }
        return Optional.empty();
    }

    /** Returns the annotation's simple name. */
    String name() {
        return type.getSimpleName();
    }

    /** True if every value is present and known to the compiler, which reports the others. */
    boolean isResolved() {
        Map<? extends ExecutableElement, ? extends AnnotationValue> values =
                elements.getElementValuesWithDefaults(mirror);
        return ElementFilter.methodsIn(mirror.getAnnotationType().asElement().getEnclosedElements()).stream()
                .map(values::get)
                .allMatch(value -> value != null && !ERROR.equals(value.getValue()));
    }

    /** Returns a value as written; null if it is not written. */
    @Nullable
    AnnotationValue written(String name) {
        return find(mirror.getElementValues(), name);
    }

    int number(String name) {
        return value(name) instanceof Integer number ? number : 0;
    }

    boolean flag(String name) {
        return value(name) instanceof Boolean flag && flag;
    }

    String text(String name) {
        return value(name) instanceof String text ? text : "";
    }

    /** Returns the texts of a value that may have several. */
    List<String> texts(String name) {
        return value(name) instanceof List<?> values
                ? values.stream()
                        .map(each -> each instanceof AnnotationValue text ? text.getValue() : null)
                        .filter(String.class::isInstance)
                        .map(String.class::cast)
                        .filter(text -> !text.equals(ERROR))
                        .toList()
                : List.of();
    }

    /** Returns a class; empty if the compiler could not resolve it. */
    Optional<TypeMirror> type(String name) {
        return value(name) instanceof TypeMirror type && type.getKind() != TypeKind.ERROR
                ? Optional.of(type)
                : Optional.empty();
    }

    /** Returns a constant of an enum; empty if the compiler could not resolve it. */
    <E extends Enum<E>> Optional<E> constant(String name, Class<E> type) {
        if (value(name) instanceof VariableElement constant) {
            for (E each : type.getEnumConstants()) {
                if (constant.getSimpleName().contentEquals(each.name())) {
                    return Optional.of(each);
                }
            }
        }
        return Optional.empty();
    }

    /** Returns constants of an enum, without the constants that the compiler could not resolve. */
    <E extends Enum<E>> List<E> constants(String name, Class<E> type) {
        if (!(value(name) instanceof List<?> values)) {
            return List.of();
        }
        return values.stream()
                .filter(AnnotationValue.class::isInstance)
                .map(each -> String.valueOf(((AnnotationValue) each).getValue()))
                .flatMap(each -> Arrays.stream(type.getEnumConstants()).filter(of -> each.equals(of.name())))
                .toList();
    }

    private @Nullable Object value(String name) {
        AnnotationValue value = find(elements.getElementValuesWithDefaults(mirror), name);
        return value == null ? null : value.getValue();
    }

    private static @Nullable AnnotationValue find(
            Map<? extends ExecutableElement, ? extends AnnotationValue> values, String name) {
        for (Map.Entry<? extends ExecutableElement, ? extends AnnotationValue> entry : values.entrySet()) {
            if (entry.getKey().getSimpleName().contentEquals(name)) {
                return entry.getValue();
            }
        }
        return null;
    }
}

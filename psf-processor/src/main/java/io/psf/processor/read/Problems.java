package io.psf.processor.read;

import java.util.LinkedHashSet;
import java.util.Set;
import javax.annotation.processing.Messager;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/** The problems found in an element, without duplicates. They are collected, and then printed together. */
public final class Problems {
    private final Set<Problem> found = new LinkedHashSet<>();

    /** True if no problem has been found so far. */
    public boolean isEmpty() {
        return found.isEmpty();
    }

    /** Prints all problems, and discards them. */
    public void print(Messager messager) {
        for (Problem problem : found) {
            messager.printMessage(
                    Diagnostic.Kind.ERROR, problem.text(), problem.where(), problem.mirror(), problem.value());
        }
        found.clear();
    }

    /** Discards all problems, because the element will be read again. */
    public void clear() {
        found.clear();
    }

    /** Adds a problem of an element; null if the problem has no element. */
    public void add(@Nullable Element where, Message message, Object... arguments) {
        found.add(new Problem(where, null, null, message.text(arguments)));
    }

    /** Adds a problem of an annotation, or of one of its values. */
    void add(Element where, Mirror mirror, String value, Message message, Object... arguments) {
        found.add(new Problem(where, mirror.mirror(), mirror.written(value), message.text(arguments)));
    }

    private record Problem(
            @Nullable Element where,
            @Nullable AnnotationMirror mirror,
            @Nullable AnnotationValue value,
            String text) {}
}

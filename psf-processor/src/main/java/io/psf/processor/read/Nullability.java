package io.psf.processor.read;

import io.psf.processor.model.ClassRef;
import java.util.Optional;
import javax.lang.model.AnnotatedConstruct;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.TypeElement;

/**
 * Finds the annotation that marks a value as nullable: any annotation with the simple name {@code Nullable}, of any
 * package.
 */
final class Nullability {
    private Nullability() {}

    /** Returns the annotation on an element or on a type; empty if there is none. */
    static Optional<ClassRef> mark(AnnotatedConstruct where) {
        for (AnnotationMirror mirror : where.getAnnotationMirrors()) {
            TypeElement annotation = (TypeElement) mirror.getAnnotationType().asElement();
            if (annotation.getSimpleName().contentEquals("Nullable")) {
                return Optional.of(ClassNames.of(annotation));
            }
        }
        return Optional.empty();
    }
}

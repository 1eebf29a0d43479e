package io.psf.processor.read;

import io.psf.processor.model.ClassRef;
import java.util.Optional;
import javax.lang.model.AnnotatedConstruct;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.TypeElement;

/** Finds what says that a value may be null: any annotation of the simple name {@code Nullable}, whoever's it is. */
final class Nulls {
    private Nulls() {}

    /** The annotation on an element or on a type; nothing if there is none. */
    static Optional<ClassRef> mark(AnnotatedConstruct where) {
        for (AnnotationMirror mirror : where.getAnnotationMirrors()) {
            TypeElement annotation = (TypeElement) mirror.getAnnotationType().asElement();
            if (annotation.getSimpleName().contentEquals("Nullable")) {
                return Optional.of(Names.of(annotation));
            }
        }
        return Optional.empty();
    }
}

package io.psf.processor.read;

import io.psf.processor.model.ClassRef;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.NestingKind;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import org.jspecify.annotations.Nullable;

/** Reads the names and the visibility of classes. */
final class ClassNames {
    private ClassNames() {}

    static ClassRef of(TypeElement type) {
        List<String> names = new ArrayList<>();
        @Nullable Element at = type;
        while (at instanceof TypeElement each) {
            names.add(0, each.getSimpleName().toString());
            at = each.getEnclosingElement();
        }
        while (at != null && !(at instanceof PackageElement)) {
            at = at.getEnclosingElement();
        }
        return new ClassRef(
                at instanceof PackageElement in ? in.getQualifiedName().toString() : "", names);
    }

    /** Returns a type's nested type of a name; null if there is none. */
    static @Nullable TypeElement nested(TypeElement type, String name) {
        return ElementFilter.typesIn(type.getEnclosedElements()).stream()
                .filter(each -> each.getSimpleName().contentEquals(name))
                .findFirst()
                .orElse(null);
    }

    /** True if the type is visible to code in the package of its outermost class. */
    static boolean isVisibleBeside(TypeElement type) {
        if (type.getNestingKind() == NestingKind.LOCAL) {
            return false;
        }
        @Nullable Element at = type;
        while (at instanceof TypeElement) {
            if (at.getModifiers().contains(Modifier.PRIVATE)) {
                return false;
            }
            at = at.getEnclosingElement();
        }
        return true;
    }

    /** True if the type is visible to all code. */
    static boolean isPublic(TypeElement type) {
        @Nullable Element at = type;
        while (at instanceof TypeElement) {
            if (!at.getModifiers().contains(Modifier.PUBLIC)) {
                return false;
            }
            at = at.getEnclosingElement();
        }
        return true;
    }
}

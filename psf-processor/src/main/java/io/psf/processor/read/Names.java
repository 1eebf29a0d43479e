package io.psf.processor.read;

import io.psf.processor.model.ClassRef;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.NestingKind;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;

/** The names of classes, and who sees them. */
final class Names {
    private Names() {}

    static ClassRef of(TypeElement type) {
        List<String> names = new ArrayList<>();
        Element at = type;
        while (at instanceof TypeElement each) {
            names.add(0, each.getSimpleName().toString());
            at = each.getEnclosingElement();
        }
        return new ClassRef(packageOf(at), names);
    }

    private static String packageOf(Element at) {
        Element each = at;
        while (!(each instanceof PackageElement)) {
            each = each.getEnclosingElement();
        }
        return ((PackageElement) each).getQualifiedName().toString();
    }

    /** Whether code beside the outermost class sees the type. */
    static boolean isVisibleBeside(TypeElement type) {
        return type.getNestingKind() != NestingKind.LOCAL && noneIs(type, Modifier.PRIVATE);
    }

    /** Whether code anywhere sees the type. */
    static boolean isPublic(TypeElement type) {
        Element at = type;
        while (at instanceof TypeElement) {
            if (!at.getModifiers().contains(Modifier.PUBLIC)) {
                return false;
            }
            at = at.getEnclosingElement();
        }
        return true;
    }

    private static boolean noneIs(TypeElement type, Modifier modifier) {
        Element at = type;
        while (at instanceof TypeElement) {
            if (at.getModifiers().contains(modifier)) {
                return false;
            }
            at = at.getEnclosingElement();
        }
        return true;
    }
}

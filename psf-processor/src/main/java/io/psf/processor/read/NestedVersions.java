package io.psf.processor.read;

import io.psf.api.PsFunction;
import io.psf.api.Since;
import io.psf.api.Unknown;
import io.psf.processor.model.Type;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;

/**
 * Reads the annotations on the components of one nested record, or on the constants of one enum, in order: the versions
 * that added them, and annotations that have no meaning there.
 */
final class NestedVersions {
    private final Elements elements;
    private final Problems problems;
    private final UnaryOperator<Element> placeOf;
    private final boolean isTuple;
    private int before;
    private boolean unresolved;

    /**
     * Creates a reader of one record or enum.
     *
     * @param type the record or the enum
     * @param placeOf returns the element on which a problem of an element is reported
     */
    NestedVersions(TypeElement type, Elements elements, Problems problems, UnaryOperator<Element> placeOf) {
        this.elements = elements;
        this.problems = problems;
        this.placeOf = placeOf;
        this.isTuple = isTuple(type);
    }

    /** True if the record is the request or the response of a function, where layouts have a meaning. */
    private boolean isTuple(TypeElement type) {
        Element function = type.getEnclosingElement();
        boolean isNamed = type.getSimpleName().contentEquals("Request")
                || type.getSimpleName().contentEquals("Response");
        return isNamed
                && function != null
                && Mirror.of(function, PsFunction.class, elements).isPresent();
    }

    /** True if the compiler does not know a version, and will report it itself. */
    boolean isUnresolved() {
        return unresolved;
    }

    /** Returns the version that added a component of the record. */
    int ofComponent(Element field, String path, Type type) {
        Mirror.of(field, Unknown.class, elements)
                .ifPresent(mirror -> report(field, mirror, "", Message.UNKNOWN, "component " + path, ""));
        Optional<Mirror> since = since(field, "component " + path + " of a nested record");
        int version = version(field, since, "component " + path);
        if (version > 1 && ComponentVersions.holdsTensor(type)) {
            since.ifPresent(mirror -> report(
                    field,
                    mirror,
                    "",
                    Message.SINCE,
                    "@Since(" + version + ") on component " + path + " with a TensorId",
                    ComponentVersions.NO_TENSOR));
        }
        return version;
    }

    /**
     * Returns the version that added a constant of the enum. The first constant is the default of a value that an older
     * peer did not send.
     */
    int ofConstant(Element constant, String path) {
        Optional<Mirror> since = since(constant, "constant " + path + " of an enum");
        boolean first = before == 0;
        int version = version(constant, since, "constant " + path);
        if (first && version > 1) {
            since.ifPresent(mirror -> report(
                    constant,
                    mirror,
                    "",
                    Message.SINCE,
                    "@Since(" + version + ") on constant " + path + ", the first one",
                    ComponentVersions.FIRST));
        }
        return version;
    }

    private Optional<Mirror> since(Element element, String what) {
        for (Class<?> layout : isTuple ? List.<Class<?>>of() : TupleElement.LAYOUTS) {
            Mirror.of(element, layout, elements)
                    .ifPresent(mirror -> report(element, mirror, "", Message.LAYOUT_NESTED, mirror.name(), what));
        }
        Optional<Mirror> since = Mirror.of(element, Since.class, elements);
        unresolved |= since.filter(mirror -> !mirror.isResolved()).isPresent();
        return since.filter(Mirror::isResolved);
    }

    private int version(Element element, Optional<Mirror> since, String what) {
        int version = since.map(mirror -> mirror.number("value")).orElse(1);
        if (since.isPresent() && version < 2) {
            report(
                    element,
                    since.get(),
                    "value",
                    Message.SINCE,
                    "@Since(" + version + ") on " + what,
                    ComponentVersions.FIRST);
            version = 1;
        } else if (version < before) {
            problems.add(
                    placeOf.apply(element),
                    Message.SINCE,
                    what + " of version " + version + " follows one of version " + before,
                    "Move it before that one, or give it @Since(" + before + ").");
        }
        before = Math.max(before, version);
        return version;
    }

    private void report(Element element, Mirror mirror, String value, Message message, Object... arguments) {
        if (placeOf.apply(element).equals(element)) {
            problems.add(element, mirror, value, message, arguments);
        } else {
            problems.add(placeOf.apply(element), message, arguments);
        }
    }
}

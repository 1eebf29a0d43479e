package io.psf.processor.read;

import io.psf.api.Since;
import io.psf.api.Unknown;
import io.psf.api.array.FloatType;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Wire;
import io.psf.processor.model.Type;
import io.psf.processor.model.WireFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import org.jspecify.annotations.Nullable;

/**
 * A component of a tuple as declared in the source.
 *
 * @param index the component's number
 * @param name the component's name
 * @param simpleType the component's type for messages
 * @param type the component's type
 * @param unresolved true if the compiler does not know the component's type, or a value of an annotation on the
 *     component
 * @param layouts the layout annotations on it
 * @param since the {@code Since} annotation on it
 * @param field the component's field, on which problems are reported: JDK 17 prints no line for a problem of the record
 *     component itself
 * @param doc the text of the component's {@code param} tag
 */
record TupleElement(
        int index,
        String name,
        String simpleType,
        Type type,
        boolean unresolved,
        List<Mirror> layouts,
        Optional<Mirror> since,
        Element field,
        String doc) {
    /** The layout annotations. */
    static final List<Class<?>> LAYOUTS = List.of(ByRange.class, ByKey.class, Along.class, Ragged.class, Reduce.class);

    /** Reads the components of a record; {@code tuple} is null if there is no record. */
    static List<TupleElement> of(@Nullable TypeElement tuple, Elements elements, Problems problems) {
        if (tuple == null) {
            return List.of();
        }
        Map<String, String> docs = Docs.params(elements.getDocComment(tuple));
        List<TupleElement> components = new ArrayList<>();
        for (RecordComponentElement component : tuple.getRecordComponents()) {
            Element field = field(tuple, component);
            TypeReader reader = new TypeReader(field.asType(), field, elements, problems);
            String name = component.getSimpleName().toString();
            Mirror.of(field, Unknown.class, elements)
                    .ifPresent(mirror -> problems.add(field, mirror, "", Message.UNKNOWN, "component " + name, ""));
            Optional<Mirror> wire = Mirror.of(field, Wire.class, elements);
            List<Mirror> layouts = LAYOUTS.stream()
                    .flatMap(type -> Mirror.of(field, type, elements).stream())
                    .toList();
            Optional<Mirror> since = Mirror.of(field, Since.class, elements);
            boolean known = Stream.of(layouts.stream(), since.stream(), wire.stream())
                    .flatMap(each -> each)
                    .allMatch(Mirror::isResolved);
            components.add(new TupleElement(
                    components.size(),
                    name,
                    TypeReader.simple(field.asType()),
                    wire.map(mirror -> formatted(reader.read(), name, field, mirror, problems))
                            .orElseGet(reader::read),
                    reader.isUnresolved() || !known,
                    layouts,
                    since.filter(Mirror::isResolved),
                    field,
                    docs.getOrDefault(name, "")));
        }
        return components;
    }

    /** Returns the type of an array with the format of its annotation. */
    private static Type formatted(Type type, String name, Element field, Mirror wire, Problems problems) {
        if (type instanceof Type.Nullable nullable) {
            return new Type.Nullable(formatted(nullable.of(), name, field, wire, problems), nullable.mark());
        } else if (type instanceof Type.Bad) {
            return type;
        } else if (!type.equals(new Type.Shared(Type.Items.FLOAT))) {
            problems.add(field, wire, "", Message.WIRE_TYPE, name, "another type", "a FloatArray");
            return type;
        }
        List<FloatType> formats = wire.constants("value", FloatType.class);
        if (formats.size() > 1) {
            problems.add(field, wire, "value", Message.WIRE_SEVERAL, name, formats);
        }
        WireFormat format = formats.isEmpty()
                ? WireFormat.TENSOR
                : formats.get(0) == FloatType.FLOAT32
                        ? WireFormat.OWN
                        : WireFormat.valueOf(formats.get(0).name());
        return new Type.Shared(Type.Items.FLOAT, format);
    }

    static Element field(TypeElement tuple, RecordComponentElement component) {
        for (VariableElement field : ElementFilter.fieldsIn(tuple.getEnclosedElements())) {
            if (field.getSimpleName().equals(component.getSimpleName())) {
                return field;
            }
        }
        return component;
    }

    boolean has(Class<?> annotation) {
        return layouts.stream().anyMatch(each -> each.type() == annotation);
    }

    /** True if a problem with the type has been reported already. */
    boolean isBad() {
        return type instanceof Type.Bad;
    }
}

package io.psf.processor.read;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.processor.model.ClassRef;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.OwnMerge;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/** Reads an interface with {@code PsFunction} into a model, and finds all its problems in one pass. */
public final class FunctionReader {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]*(\\.[a-z][a-z0-9_-]*)*");
    private static final int MAX_NAME = 200;
    private static final ClassRef OBJECT = new ClassRef("java.lang", List.of("Object"));

    private final Elements elements;
    private final Types types;
    private final Problems problems;
    /** The functions read so far, by their numbers on the wire. */
    private final Map<Integer, String> taken = new HashMap<>();

    /** Creates a reader that adds its findings to {@code problems}. */
    public FunctionReader(Elements elements, Types types, Problems problems) {
        this.elements = elements;
        this.types = types;
        this.problems = problems;
    }

    /**
     * The result of reading an interface.
     *
     * @param model the function; if there are problems, sufficient only for a skeleton
     * @param resolved true if the compiler knew all types; if false, the next round may know them
     */
    public record Reading(FunctionModel model, boolean resolved) {}

    /** Reads an interface. Returns empty if the interface is not visible to classes in its package. */
    public Optional<Reading> read(TypeElement type) {
        Optional<Mirror> annotation = Mirror.of(type, PsFunction.class, elements);
        if (annotation.isEmpty()) {
            return Optional.empty();
        } else if (!ClassNames.isVisibleBeside(type)) {
            problems.add(type, Message.NOT_VISIBLE, type.getSimpleName());
            return Optional.empty();
        }
        Mirror mirror = annotation.get();
        Place place = mirror.constant("at", Place.class).orElse(Place.SHARD);
        checkType(type);
        if (place != Place.SHARD && mirror.written("ordered") != null) {
            problems.add(type, mirror, "ordered", Message.ORDERED, type.getSimpleName(), place);
        }
        String name = name(type, mirror);
        List<String> formerly = formerly(type, mirror, name);
        TypeElement request = tuple(type, "Request", Message.REQUEST);
        TypeElement response = tuple(type, "Response", Message.RESPONSE);
        Optional<ExecutableElement> handle = Optional.empty();
        HandleReader methods =
                new HandleReader(type, request, response, new PlaceTypes(place, elements, types), problems);
        List<TupleElement> requestElements = components(request);
        boolean single = place == Place.SCHEDULER || ComponentReader.hasOwner(place, requestElements);
        OwnMerge own = new MergeReader(type, request, response, methods, elements, problems).read(single);
        boolean merged = own == OwnMerge.OF_SLICES || own == OwnMerge.OF_REQUEST_AND_SLICES;
        if (type.getKind() == ElementKind.INTERFACE) {
            handle = methods.handle();
        }
        List<TupleElement> responseElements = components(response);
        boolean resolved = !methods.isUnresolved()
                && Stream.concat(requestElements.stream(), responseElements.stream())
                        .noneMatch(TupleElement::unresolved);
        ComponentReader reader =
                new ComponentReader(type.getSimpleName().toString(), place, merged, requestElements, problems);
        boolean onNodes = handle.map(PlaceTypes::takesNode).orElse(false);
        if (place == Place.SHARD && request != null && reader.indexOfTarget() < 0 && resolved && !onNodes) {
            problems.add(request, Message.TARGET, type.getSimpleName());
        }
        List<Component> requestComponents = reader.request();
        List<Component> responseComponents = reader.response(responseElements);
        return Optional.of(new Reading(
                new FunctionModel(
                        ClassNames.of(type),
                        name,
                        place,
                        mirror.flag("readOnly"),
                        mirror.flag("ordered"),
                        ClassNames.isPublic(type),
                        handle.flatMap(PlaceTypes::kindOfShard),
                        handle.map(method -> methods.answersLater(method.getReturnType()))
                                .orElse(false),
                        handle.map(method -> method.getModifiers().contains(Modifier.DEFAULT))
                                .orElse(false),
                        own,
                        Docs.text(elements.getDocComment(type)),
                        request == null ? OBJECT : ClassNames.of(request),
                        requestComponents,
                        response == null ? OBJECT : ClassNames.of(response),
                        responseComponents,
                        formerly),
                resolved));
    }

    private void checkType(TypeElement type) {
        if (type.getKind() != ElementKind.INTERFACE) {
            problems.add(
                    type, Message.NOT_INTERFACE, type.getSimpleName(), words(type.getKind()), type.getSimpleName());
        } else if (!type.getTypeParameters().isEmpty()) {
            problems.add(type, Message.GENERIC, type.getSimpleName());
        }
    }

    private String name(TypeElement type, Mirror mirror) {
        String name = mirror.text("value");
        if (mirror.written("value") == null) {
            return name; // the compiler reports that it is missing
        }
        checkName(type, mirror, "value", name);
        return name;
    }

    private void checkName(TypeElement type, Mirror mirror, String value, String name) {
        if (!requireName(type, mirror, value, name, problems)) {
            return;
        }
        String self = type.getQualifiedName().toString();
        String other = taken.putIfAbsent(io.psf.api.Names.number(name), self);
        if (other != null && !other.equals(self)) {
            problems.add(type, mirror, value, Message.NAME_TAKEN, name, other);
        }
    }

    /** Reports a name that is not dotted lower case. Returns true if it is. */
    static boolean requireName(Element where, Mirror mirror, String value, String name, Problems problems) {
        if (name.length() <= MAX_NAME && NAME.matcher(name).matches()) {
            return true;
        }
        String lower = name.toLowerCase(Locale.ROOT).replaceAll("\\s+", "_");
        boolean near = lower.length() <= MAX_NAME && NAME.matcher(lower).matches();
        problems.add(where, mirror, value, Message.NAME, name, near ? " Did you mean \"" + lower + "\"?" : "");
        return false;
    }

    private List<String> formerly(TypeElement type, Mirror mirror, String name) {
        List<String> formerly = mirror.texts("formerly");
        Set<Integer> numbers = new HashSet<>(Set.of(io.psf.api.Names.number(name)));
        for (String each : formerly) {
            checkName(type, mirror, "formerly", each);
            if (!numbers.add(io.psf.api.Names.number(each))) {
                String what = each.equals(name) ? "the name that it has now" : "given twice";
                problems.add(type, mirror, "formerly", Message.FORMERLY, each, what);
            }
        }
        return formerly;
    }

    /**
     * Returns the components of a tuple. The components of a generic tuple are not checked closely, since the generic
     * tuple has been reported.
     */
    private List<TupleElement> components(@Nullable TypeElement tuple) {
        boolean generic = tuple != null && !tuple.getTypeParameters().isEmpty();
        return TupleElement.of(tuple, elements, generic ? new Problems() : problems);
    }

    private @Nullable TypeElement tuple(TypeElement type, String name, Message missing) {
        for (TypeElement nested : ElementFilter.typesIn(type.getEnclosedElements())) {
            if (nested.getSimpleName().contentEquals(name)) {
                if (nested.getKind() != ElementKind.RECORD) {
                    problems.add(
                            nested,
                            missing,
                            type.getSimpleName(),
                            ", but a " + words(nested.getKind()) + " of that name");
                    return null;
                } else if (!nested.getTypeParameters().isEmpty()) {
                    problems.add(nested, Message.GENERIC, type.getSimpleName() + "." + name);
                }
                return ClassNames.isVisibleBeside(nested) ? nested : null; // always visible in an interface
            }
        }
        if (type.getKind() != ElementKind.INTERFACE) {
            return null; // already reported
        }
        List<String> others = ElementFilter.typesIn(type.getEnclosedElements()).stream()
                .map(nested -> nested.getSimpleName().toString())
                .toList();
        String near = Nearest.didYouMean(name, others).replaceAll(".*\"(.*)\".*", "$1");
        problems.add(type, missing, type.getSimpleName(), near.isEmpty() ? "" : ", but " + near);
        return null;
    }

    private static String words(ElementKind kind) {
        return switch (kind) {
            case ANNOTATION_TYPE -> "annotation";
            default -> kind.name().toLowerCase(Locale.ROOT);
        };
    }
}

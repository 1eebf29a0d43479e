package io.psf.processor.read;

import io.psf.api.Available;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.PsHandler;
import io.psf.processor.model.ClassRef;
import io.psf.processor.model.OwnHandle;
import io.psf.processor.model.ProviderModel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/** Reads a class with {@code PsHandler}, and checks which function it handles and whether a server can create it. */
public final class HandlerReader {
    private final Elements elements;
    private final Types types;
    private final Problems problems;
    /** The handlers that are always available, by function, kind of shard and preference. */
    private final Map<String, String> certain = new HashMap<>();

    private boolean resolved = true;

    /** Creates a reader that adds its findings to {@code problems}. */
    public HandlerReader(Elements elements, Types types, Problems problems) {
        this.elements = elements;
        this.types = types;
        this.problems = problems;
    }

    /**
     * True if the compiler knew all supertypes of the class that was read last; if false, the next round may know them.
     */
    public boolean isResolved() {
        return resolved;
    }

    /** Reads a class; empty if it cannot be a handler. */
    public Optional<ProviderModel> read(TypeElement type) {
        resolved = true;
        Optional<String> unfit = unfit(type);
        if (unfit.isPresent()) {
            problems.add(type, Message.HANDLER_KIND, type.getSimpleName(), unfit.get());
            return Optional.empty();
        }
        boolean sound = true;
        if (!type.getModifiers().contains(Modifier.PUBLIC) || !ClassNames.isVisibleBeside(type)) {
            problems.add(type, Message.HANDLER_NOT_PUBLIC, type.getSimpleName());
            sound = false;
        } else if (ElementFilter.constructorsIn(type.getEnclosedElements()).stream()
                .noneMatch(this::isUsable)) {
            problems.add(type, Message.HANDLER_CONSTRUCTOR, type.getSimpleName());
            sound = false;
        }
        Map<String, TypeElement> functions = new LinkedHashMap<>();
        resolved = collect(type.asType(), functions);
        Mirror annotation = Mirror.of(type, PsHandler.class, elements).orElseThrow();
        if (annotation.written("function") != null) {
            return ofNamed(type, annotation, functions.values());
        }
        if (functions.isEmpty()) {
            if (resolved) {
                problems.add(type, Message.HANDLER_OF_NOTHING, type.getSimpleName(), "");
            }
            return Optional.empty();
        } else if (functions.size() > 1) {
            List<String> names = functions.values().stream()
                    .map(each -> each.getSimpleName().toString())
                    .toList();
            problems.add(type, Message.HANDLER_OF_SEVERAL, type.getSimpleName(), String.join(" and ", names));
            return Optional.empty();
        }
        TypeElement function = functions.values().iterator().next();
        if (!sound || !resolved) {
            return Optional.empty();
        }
        return Optional.of(model(type, function, annotation, Optional.empty()));
    }

    /** Reads a class that names its function, and does not implement the function's interface. */
    private Optional<ProviderModel> ofNamed(TypeElement type, Mirror annotation, Collection<TypeElement> implemented) {
        Optional<TypeMirror> named = annotation.type("function");
        resolved &= named.isPresent();
        if (!resolved) {
            return Optional.empty();
        }
        TypeElement function = (TypeElement) types.asElement(named.get());
        Optional<String> unfit = unfit(function, implemented);
        if (function == null || unfit.isPresent()) {
            String name = TypeReader.simple(named.get());
            problems.add(
                    type,
                    annotation,
                    "function",
                    Message.HANDLER_FUNCTION,
                    name,
                    type.getSimpleName(),
                    unfit.orElse("no function"));
            return Optional.empty();
        }
        HandleReader reader = new HandleReader(
                type,
                ClassNames.nested(function, "Request"),
                ClassNames.nested(function, "Response"),
                new PlaceTypes(Place.SHARD, elements, types),
                problems);
        Optional<ExecutableElement> handle = reader.handleOfClass();
        resolved = !reader.isUnresolved();
        if (handle.isEmpty() || !problems.isEmpty() || !resolved) {
            return Optional.empty();
        }
        OwnHandle own = new OwnHandle(
                PlaceTypes.kindOfShard(handle.get()),
                reader.answersLater(handle.get().getReturnType()));
        return Optional.of(model(type, function, annotation, Optional.of(own)));
    }

    private Optional<String> unfit(@Nullable TypeElement function, Collection<TypeElement> implemented) {
        Optional<Mirror> declared =
                Optional.ofNullable(function).flatMap(each -> Mirror.of(each, PsFunction.class, elements));
        if (declared.isEmpty()) {
            return Optional.of("no function");
        }
        Place place = declared.get().constant("at", Place.class).orElse(Place.SHARD);
        return place != Place.SHARD
                ? Optional.of("a function at = " + place)
                : implemented.stream().findFirst().map(each -> "the class implements " + each.getSimpleName());
    }

    private ProviderModel model(TypeElement type, TypeElement function, Mirror annotation, Optional<OwnHandle> own) {
        TypeElement request = ClassNames.nested(function, "Request");
        TypeElement response = ClassNames.nested(function, "Response");
        HandleReader methods =
                new HandleReader(function, request, response, new PlaceTypes(Place.SHARD, elements, types), problems);
        new MergeReader(function, request, response, methods, elements, problems).reportIn(type);
        int preference = annotation.number("preference");
        Optional<ClassRef> shard = own.isPresent()
                ? own.get().shard()
                : ElementFilter.methodsIn(function.getEnclosedElements()).stream()
                        .filter(method -> method.getSimpleName().contentEquals("handle"))
                        .findFirst()
                        .flatMap(PlaceTypes::kindOfShard);
        checkPreference(type, function, shard, preference);
        return new ProviderModel(ClassNames.of(type), ClassNames.of(function), false, own, preference);
    }

    /**
     * Reports two handlers of the same preference and kind of shard that are both always available: they could never be
     * on the same class path.
     */
    private void checkPreference(TypeElement type, TypeElement function, Optional<ClassRef> shard, int preference) {
        if (types.isAssignable(
                type.asType(),
                elements.getTypeElement(Available.class.getName()).asType())) {
            return;
        }
        String name = type.getQualifiedName().toString();
        String other = certain.putIfAbsent(
                function.getQualifiedName() + " "
                        + shard.map(ClassRef::qualified).orElse("") + " " + preference,
                name);
        if (other != null && !other.equals(name)) {
            problems.add(
                    type, Message.HANDLER_TWICE, type.getSimpleName(), other, function.getSimpleName(), preference);
        }
    }

    /** Returns the reason why no object of the class can be created on its own; empty if it can. */
    static Optional<String> unfit(TypeElement type) {
        if (type.getKind() != ElementKind.CLASS && type.getKind() != ElementKind.RECORD) {
            return Optional.of("no class");
        } else if (type.getModifiers().contains(Modifier.ABSTRACT)) {
            return Optional.of("abstract");
        } else if (!type.getTypeParameters().isEmpty()) {
            return Optional.of("generic");
        } else if (type.getEnclosingElement() instanceof TypeElement
                && !type.getModifiers().contains(Modifier.STATIC)) {
            return Optional.of("an inner class");
        }
        return Optional.empty();
    }

    private boolean isUsable(ExecutableElement constructor) {
        return constructor.getParameters().isEmpty()
                && constructor.getModifiers().contains(Modifier.PUBLIC)
                && constructor.getThrownTypes().isEmpty();
    }

    /** Finds the functions among a type's supertypes. Returns true if the compiler knew all supertypes. */
    private boolean collect(TypeMirror type, Map<String, TypeElement> functions) {
        boolean known = true;
        List<TypeMirror> open = new ArrayList<>(types.directSupertypes(type));
        for (TypeMirror each : open) {
            if (each.getKind() == TypeKind.ERROR) {
                known = false;
            } else if (each instanceof DeclaredType declared) {
                TypeElement element = (TypeElement) declared.asElement();
                if (Mirror.of(element, PsFunction.class, elements).isPresent()) {
                    functions.put(element.getQualifiedName().toString(), element);
                }
                known &= collect(each, functions);
            }
        }
        return known;
    }
}

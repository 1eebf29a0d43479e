package io.psf.processor.read;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/** Reads {@code handle} of a function's interface. */
final class HandleReader {
    private final TypeElement type;
    private final @Nullable TypeElement request;
    private final @Nullable TypeElement response;
    private final PlaceTypes places;
    private final Elements elements;
    private final Types types;
    private final Problems problems;
    private boolean unresolved;

    HandleReader(
            TypeElement type,
            @Nullable TypeElement request,
            @Nullable TypeElement response,
            PlaceTypes places,
            Problems problems) {
        this.type = type;
        this.request = request;
        this.response = response;
        this.places = places;
        this.elements = places.elements();
        this.types = places.types();
        this.problems = problems;
    }

    /** Finds and checks {@code handle}; empty if there is none. */
    Optional<ExecutableElement> handle() {
        List<ExecutableElement> methods = declared("handle");
        Optional<ExecutableElement> misnamed = methods.isEmpty() ? onlyAbstract() : Optional.empty();
        if (methods.isEmpty() && reportMisplaced()) {
            return Optional.empty();
        } else if (methods.isEmpty()) {
            problems.add(
                    misnamed.map(Element.class::cast).orElse(type),
                    Message.HANDLE_MISSING,
                    type.getSimpleName(),
                    misnamed.map(method -> ", but " + method.getSimpleName()).orElse(""),
                    places.signature());
        }
        Optional<ExecutableElement> handle = methods.stream()
                .filter(this::looksRight)
                .findFirst()
                .or(() -> methods.stream().findFirst());
        handle.ifPresent(this::checkHandle);
        for (ExecutableElement method : ElementFilter.methodsIn(elements.getAllMembers(type))) {
            boolean another = methods.contains(method) && method != handle.orElse(null);
            boolean open = method.getModifiers().contains(Modifier.ABSTRACT) && !methods.contains(method);
            boolean inherited = !type.equals(method.getEnclosingElement());
            if (misnamed.filter(method::equals).isPresent()) {
                continue;
            }
            if (another || (open && !(inherited && overriddenBy(methods, method)))) {
                problems.add(
                        inherited ? type : method,
                        Message.HANDLE_EXTRA,
                        method.getSimpleName(),
                        type.getSimpleName(),
                        places.signature());
            }
        }
        return handle;
    }

    /**
     * Reports {@code handle} in the request or the response, where nothing calls it, of an interface that has none.
     * Returns true if there is one.
     */
    private boolean reportMisplaced() {
        boolean found = false;
        for (TypeElement tuple :
                Stream.of(request, response).flatMap(Stream::ofNullable).toList()) {
            for (ExecutableElement method : ElementFilter.methodsIn(tuple.getEnclosedElements())) {
                boolean accessor = method.getParameters().isEmpty();
                if (!accessor && method.getSimpleName().contentEquals("handle")) {
                    found = true;
                    problems.add(
                            method,
                            Message.MISPLACED,
                            "handle",
                            ClassNames.of(tuple).dotted(),
                            type.getSimpleName(),
                            places.signature());
                }
            }
        }
        return found;
    }

    /** Finds and checks {@code handle} of a class that handles the function without implementing its interface. */
    Optional<ExecutableElement> handleOfClass() {
        List<ExecutableElement> methods = declared("handle");
        if (methods.isEmpty()) {
            problems.add(type, Message.HANDLE_MISSING, type.getSimpleName(), "", places.signature());
        }
        Optional<ExecutableElement> handle = methods.stream().findFirst();
        handle.ifPresent(this::checkHandle);
        methods.stream().skip(1).forEach(another -> wrong(another, "a second method of that name"));
        return handle;
    }

    /** Returns the interface's only abstract method, which may be a misspelt {@code handle}. */
    private Optional<ExecutableElement> onlyAbstract() {
        List<ExecutableElement> open = ElementFilter.methodsIn(type.getEnclosedElements()).stream()
                .filter(method -> method.getModifiers().contains(Modifier.ABSTRACT))
                .toList();
        return open.size() == 1 ? Optional.of(open.get(0)) : Optional.empty();
    }

    /** True if the compiler does not know a type in a signature. */
    boolean isUnresolved() {
        return unresolved;
    }

    private boolean overriddenBy(List<ExecutableElement> methods, ExecutableElement method) {
        return methods.stream().anyMatch(each -> elements.overrides(each, method, type));
    }

    List<ExecutableElement> declared(String name) {
        return ElementFilter.methodsIn(type.getEnclosedElements()).stream()
                .filter(method -> method.getSimpleName().contentEquals(name))
                .toList();
    }

    private boolean looksRight(ExecutableElement method) {
        List<? extends VariableElement> parameters = method.getParameters();
        return parameters.size() == 2
                && isSame(parameters.get(0).asType(), request)
                && places.takes(parameters.get(1).asType());
    }

    private void checkHandle(ExecutableElement method) {
        if (method.getModifiers().contains(Modifier.STATIC)
                || method.getModifiers().contains(Modifier.PRIVATE)) {
            wrong(method, "static or private");
            return;
        } else if (!method.getTypeParameters().isEmpty()) {
            wrong(method, "type parameters");
            return;
        }
        List<? extends VariableElement> parameters = method.getParameters();
        if (parameters.size() != 2) {
            wrong(method, parameters.size() + (parameters.size() == 1 ? " parameter" : " parameters"));
        } else if (isSame(parameters.get(1).asType(), request)
                && places.isPlace(parameters.get(0).asType())) {
            wrong(method, "parameters the other way round");
        } else {
            if (request != null && !isSame(parameters.get(0).asType(), request)) {
                wrongType(parameters.get(0), "first parameter");
            }
            if (!places.takes(parameters.get(1).asType())) {
                wrongType(parameters.get(1), "second parameter");
            }
        }
        if (response != null && !isUnknown(method.getReturnType()) && !answers(method.getReturnType())) {
            wrong(method, "returns " + TypeReader.simple(method.getReturnType()));
        }
        for (TypeMirror thrown : method.getThrownTypes()) {
            if (isChecked(thrown) && !places.isSubtype(thrown, Exception.class)) {
                wrong(method, "throws " + TypeReader.simple(thrown));
            }
        }
    }

    private void wrongType(VariableElement parameter, String which) {
        if (!isUnknown(parameter.asType())) {
            wrong(parameter, which + " " + TypeReader.simple(parameter.asType()));
        }
    }

    private void wrong(Element where, String what) {
        problems.add(where, Message.HANDLE_SIGNATURE, what, places.signature());
    }

    /** True if the compiler does not know the type, and will report it itself. */
    boolean isUnknown(TypeMirror type) {
        boolean unknown = type.getKind() == TypeKind.ERROR
                || (type instanceof DeclaredType declared
                        && declared.getTypeArguments().stream().anyMatch(each -> each.getKind() == TypeKind.ERROR));
        unresolved |= unknown;
        return unknown;
    }

    private boolean answers(TypeMirror type) {
        return isSame(type, response) || answersLater(type);
    }

    /** True if the type is a stage of the response. */
    boolean answersLater(TypeMirror type) {
        TypeElement stage = elements.getTypeElement(CompletionStage.class.getName());
        return stage != null
                && response != null
                && type.getKind() == TypeKind.DECLARED
                && types.isSubtype(type, types.getDeclaredType(stage, response.asType()));
    }

    boolean isChecked(TypeMirror thrown) {
        return thrown.getKind() == TypeKind.DECLARED
                && !places.isSubtype(thrown, RuntimeException.class)
                && !places.isSubtype(thrown, Error.class);
    }

    boolean isSame(TypeMirror type, @Nullable TypeElement element) {
        return element != null
                && type.getKind() == TypeKind.DECLARED
                && types.isSameType(types.erasure(type), types.erasure(element.asType()));
    }
}

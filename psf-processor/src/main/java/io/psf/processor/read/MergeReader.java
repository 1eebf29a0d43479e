package io.psf.processor.read;

import io.psf.api.PsHandler;
import io.psf.processor.model.OwnMerge;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import org.jspecify.annotations.Nullable;

/** Reads {@code merge} or {@code finish} of a function's interface. */
final class MergeReader {
    private final TypeElement type;
    private final @Nullable TypeElement request;
    private final @Nullable TypeElement response;
    private final HandleReader methods;
    private final Elements elements;
    private final Problems problems;

    MergeReader(
            TypeElement type,
            @Nullable TypeElement request,
            @Nullable TypeElement response,
            HandleReader methods,
            Elements elements,
            Problems problems) {
        this.type = type;
        this.request = request;
        this.response = response;
        this.methods = methods;
        this.elements = elements;
        this.problems = problems;
    }

    /**
     * Finds and checks the only one of these methods that an interface may have.
     *
     * @param single true if only one node answers, so that there is nothing to merge
     */
    OwnMerge read(boolean single) {
        List<ExecutableElement> merges = methods.declared("merge");
        List<ExecutableElement> finishes = methods.declared("finish");
        if (merges.isEmpty() && finishes.isEmpty()) {
            return misplaced(single);
        }
        List<ExecutableElement> all =
                Stream.concat(merges.stream(), finishes.stream()).toList();
        if (single) {
            all.forEach(
                    method -> problems.add(method, Message.MERGE_PLACE, type.getSimpleName(), method.getSimpleName()));
            return OwnMerge.NONE;
        }
        ExecutableElement first = all.get(0);
        for (ExecutableElement method : all) {
            if (method == first) {
                check(method, merges.isEmpty() ? Message.FINISH_SIGNATURE : Message.MERGE_SIGNATURE);
            } else {
                problems.add(
                        method,
                        Message.MERGE_TWICE,
                        method.getSimpleName(),
                        type.getSimpleName(),
                        first.getSimpleName());
            }
        }
        if (merges.isEmpty()) {
            return OwnMerge.FINISH;
        }
        return first.getParameters().size() == 2 ? OwnMerge.OF_REQUEST_AND_SLICES : OwnMerge.OF_SLICES;
    }

    /**
     * Reports each of these methods that is in the request, the response or another nested type, where nothing calls
     * it. Another method of the same name, such as a method that adds two responses, is the user's.
     */
    private OwnMerge misplaced(boolean single) {
        OwnMerge found = OwnMerge.NONE;
        for (TypeElement nested : ElementFilter.typesIn(type.getEnclosedElements())) {
            if (Mirror.of(nested, PsHandler.class, elements).isPresent()) {
                continue; // reported with the handler
            }
            for (ExecutableElement method : ElementFilter.methodsIn(nested.getEnclosedElements())) {
                Optional<OwnMerge> own = form(method);
                if (own.isEmpty()) {
                    continue;
                } else if (single) {
                    problems.add(method, Message.MERGE_PLACE, type.getSimpleName(), method.getSimpleName());
                    continue;
                }
                found = own.get();
                reportMisplaced(method, nested, found);
            }
        }
        return found;
    }

    /**
     * Reports each of these methods that is in a handler of the function, where nothing calls it, unless the function
     * has one of its own.
     */
    void reportIn(TypeElement handler) {
        if (!methods.declared("merge").isEmpty() || !methods.declared("finish").isEmpty()) {
            return;
        }
        for (ExecutableElement method : ElementFilter.methodsIn(handler.getEnclosedElements())) {
            form(method).ifPresent(own -> reportMisplaced(method, handler, own));
        }
    }

    private void reportMisplaced(ExecutableElement method, TypeElement within, OwnMerge own) {
        problems.add(
                method,
                Message.MISPLACED,
                method.getSimpleName(),
                ClassNames.of(within).dotted(),
                type.getSimpleName(),
                switch (own) {
                    case FINISH -> "static Response finish(Request request, Response merged)";
                    case OF_REQUEST_AND_SLICES -> "static Response merge(Request request, List<Response> slices)";
                    default -> "static Response merge(List<Response> slices)";
                });
    }

    /** Returns which of these methods a method is by its name and parameters. */
    private Optional<OwnMerge> form(ExecutableElement method) {
        List<TypeMirror> parameters =
                method.getParameters().stream().map(Element::asType).toList();
        if (method.getSimpleName().contentEquals("merge") && merges(parameters)) {
            return Optional.of(parameters.size() == 2 ? OwnMerge.OF_REQUEST_AND_SLICES : OwnMerge.OF_SLICES);
        }
        boolean finishes = method.getSimpleName().contentEquals("finish") && finishes(parameters);
        return finishes ? Optional.of(OwnMerge.FINISH) : Optional.empty();
    }

    private void check(ExecutableElement method, Message message) {
        List<TypeMirror> parameters = method.getParameters().stream()
                .map(parameter -> parameter.asType())
                .toList();
        if (!method.getModifiers().contains(Modifier.STATIC)) {
            problems.add(method, message, "not static");
        } else if (method.getModifiers().contains(Modifier.PRIVATE)) {
            problems.add(method, message, "private");
        } else if (!(message == Message.FINISH_SIGNATURE ? finishes(parameters) : merges(parameters))) {
            problems.add(method, message, text(parameters));
        } else if (response != null && !is(method.getReturnType(), response)) {
            problems.add(method, message, "returns " + TypeReader.simple(method.getReturnType()));
        } else if (method.getThrownTypes().stream().anyMatch(methods::isChecked)) {
            problems.add(method, message, "throws a checked exception");
        }
    }

    private static String text(List<TypeMirror> parameters) {
        return parameters.isEmpty()
                ? "no parameter"
                : parameters.stream()
                        .map(TypeReader::simple)
                        .collect(Collectors.joining(", ", parameters.size() == 1 ? "parameter " : "parameters ", ""));
    }

    private boolean merges(List<TypeMirror> parameters) {
        return parameters.size() == 1 && isListOfResponses(parameters.get(0))
                || parameters.size() == 2 && is(parameters.get(0), request) && isListOfResponses(parameters.get(1));
    }

    private boolean finishes(List<TypeMirror> parameters) {
        return parameters.size() == 2 && is(parameters.get(0), request) && is(parameters.get(1), response);
    }

    /** True if the type is the tuple, or if the tuple is missing, which has been reported. */
    private boolean is(TypeMirror given, @Nullable TypeElement tuple) {
        return tuple == null || methods.isUnknown(given) || methods.isSame(given, tuple);
    }

    private boolean isListOfResponses(TypeMirror given) {
        return response == null
                || methods.isUnknown(given)
                || methods.isSame(given, elements.getTypeElement(List.class.getName()))
                        && given instanceof DeclaredType list
                        && list.getTypeArguments().size() == 1
                        && methods.isSame(list.getTypeArguments().get(0), response);
    }
}

package io.psf.processor.read;

import io.psf.api.PsInitializer;
import io.psf.api.PsOptimizer;
import io.psf.processor.model.ClassRef;
import io.psf.processor.model.NamedModel;
import io.psf.processor.model.Scalar;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
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

/** Reads a class or a constructor with {@link PsOptimizer} or {@link PsInitializer}. */
public final class NamedReader {
    /** The annotations, with the types of which one is expected among the supertypes of the class. */
    private static final Map<Class<? extends Annotation>, Set<String>> EXPECTED = Map.of(
            PsOptimizer.class,
            Set.of("io.psf.builtin.optimizer.Kernel", "io.psf.api.Optimizer"),
            PsInitializer.class,
            Set.of("io.psf.builtin.initializer.Generator"));

    private final Elements elements;
    private final Types types;
    private final Problems problems;
    /** The classes by annotation and name. */
    private final Map<String, String> taken = new HashMap<>();

    /** Creates a reader that adds its findings to {@code problems}. */
    public NamedReader(Elements elements, Types types, Problems problems) {
        this.elements = elements;
        this.types = types;
        this.problems = problems;
    }

    /**
     * Reads a class or a constructor; empty if a node could not create it.
     *
     * @param kind the annotation's class
     */
    public Optional<NamedModel> read(Element element, Class<? extends Annotation> kind) {
        Mirror annotation = Mirror.of(element, kind, elements).orElseThrow();
        String at = "@" + annotation.name();
        TypeElement type = element instanceof TypeElement annotated
                ? annotated
                : (TypeElement) Objects.requireNonNull(element.getEnclosingElement());
        Optional<String> unfit = HandlerReader.unfit(type);
        if (unfit.isPresent()) {
            problems.add(element, Message.NAMED_KIND, at, type.getSimpleName(), unfit.get());
            return Optional.empty();
        }
        Set<String> expected = EXPECTED.getOrDefault(kind, Set.of());
        if (!isAny(type.asType(), expected)) {
            problems.add(
                    element,
                    Message.NAMED_TYPE,
                    at,
                    type.getSimpleName(),
                    String.join(" or ", expected.stream().sorted().toList()));
        }
        FunctionReader.requireName(element, annotation, "value", annotation.text("value"), problems);
        requireUnique(element, annotation, type);
        ExecutableElement constructor = constructor(element, type);
        if (constructor == null || !isUsable(type, constructor)) {
            problems.add(element, Message.NAMED_CONSTRUCTOR, at, type.getSimpleName());
            return Optional.empty();
        }
        List<NamedModel.Parameter> parameters = new ArrayList<>();
        for (VariableElement each : constructor.getParameters()) {
            Optional<Scalar> scalar = scalar(each.asType());
            scalar.ifPresent(found ->
                    parameters.add(new NamedModel.Parameter(each.getSimpleName().toString(), found)));
            if (scalar.isEmpty()) {
                problems.add(
                        fieldOr(type, each, element),
                        Message.NAMED_PARAMETER,
                        each.getSimpleName(),
                        type.getSimpleName(),
                        TypeReader.simple(each.asType()));
            }
        }
        if (!problems.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new NamedModel(ClassNames.of(type), reference(kind), annotation.text("value"), parameters));
    }

    private static ClassRef reference(Class<?> kind) {
        return new ClassRef(kind.getPackageName(), List.of(kind.getSimpleName()));
    }

    private void requireUnique(Element element, Mirror annotation, TypeElement type) {
        String name = annotation.text("value");
        String self = type.getQualifiedName().toString();
        String other = taken.putIfAbsent(annotation.name() + " " + name, self);
        if (other != null && !other.equals(self)) {
            problems.add(element, annotation, "value", Message.NAME_TAKEN, name, other);
        }
    }

    /** Returns the annotated constructor, a record's canonical one, or the class's only public one; null for none. */
    private @Nullable ExecutableElement constructor(Element element, TypeElement type) {
        if (element instanceof ExecutableElement annotated) {
            return annotated;
        }
        List<ExecutableElement> found = ElementFilter.constructorsIn(type.getEnclosedElements()).stream()
                .filter(each -> each.getModifiers().contains(Modifier.PUBLIC))
                .filter(each -> type.getKind() != ElementKind.RECORD || isCanonical(type, each))
                .toList();
        return found.size() == 1 ? found.get(0) : null;
    }

    private boolean isCanonical(TypeElement type, ExecutableElement constructor) {
        List<? extends Element> components = type.getRecordComponents();
        List<? extends VariableElement> parameters = constructor.getParameters();
        boolean same = components.size() == parameters.size();
        for (int i = 0; same && i < components.size(); i++) {
            same = types.isSameType(
                    types.erasure(components.get(i).asType()),
                    types.erasure(parameters.get(i).asType()));
        }
        return same;
    }

    private static boolean isUsable(TypeElement type, ExecutableElement constructor) {
        return ClassNames.isVisibleBeside(type)
                && type.getModifiers().contains(Modifier.PUBLIC)
                && constructor.getModifiers().contains(Modifier.PUBLIC)
                && constructor.getThrownTypes().isEmpty();
    }

    /** Returns the field of a record's component, since compilers print the line of a field, not of a component. */
    private static Element fieldOr(TypeElement type, VariableElement parameter, Element otherwise) {
        for (VariableElement field : ElementFilter.fieldsIn(type.getEnclosedElements())) {
            if (type.getKind() == ElementKind.RECORD && field.getSimpleName().equals(parameter.getSimpleName())) {
                return field;
            }
        }
        return otherwise instanceof ExecutableElement ? parameter : otherwise;
    }

    private boolean isAny(TypeMirror type, Set<String> expected) {
        for (TypeMirror each : types.directSupertypes(type)) {
            boolean found = each.getKind() == TypeKind.ERROR // the compiler reports it
                    || each instanceof DeclaredType declared
                            && expected.contains(((TypeElement) declared.asElement())
                                    .getQualifiedName()
                                    .toString())
                    || isAny(each, expected);
            if (found) {
                return true;
            }
        }
        return false;
    }

    private static Optional<Scalar> scalar(TypeMirror type) {
        return switch (type.getKind()) {
            case FLOAT -> Optional.of(Scalar.FLOAT);
            case DOUBLE -> Optional.of(Scalar.DOUBLE);
            case INT -> Optional.of(Scalar.INT);
            case LONG -> Optional.of(Scalar.LONG);
            case BOOLEAN -> Optional.of(Scalar.BOOLEAN);
            case DECLARED ->
                ((TypeElement) ((DeclaredType) type).asElement())
                                .getQualifiedName()
                                .contentEquals("java.lang.String")
                        ? Optional.of(Scalar.STRING)
                        : Optional.empty();
            default -> Optional.empty();
        };
    }
}

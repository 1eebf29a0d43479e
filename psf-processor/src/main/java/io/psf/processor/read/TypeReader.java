package io.psf.processor.read;

import io.psf.api.TensorId;
import io.psf.api.Unknown;
import io.psf.api.layout.Wire;
import io.psf.processor.model.ClassRef;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import org.jspecify.annotations.Nullable;

/**
 * Reads the type of one component of a tuple, including nested records, and reports types that a tuple cannot contain.
 */
final class TypeReader {
    private static final Type UNRESOLVED = new Type.Bad("java.lang.Object");
    private static final String ARRAYS = "io.psf.api.array.";
    private static final String STRING = "java.lang.String";

    private final Problems problems;
    private final Elements elements;
    private final @Nullable Element outermost;
    private Element where;
    private final Set<String> within = new HashSet<>();
    private final TypeMirror whole;
    private boolean unresolved;

    /**
     * Creates a reader of one type.
     *
     * @param whole the component's type
     * @param where the component's field, on which problems are reported
     */
    TypeReader(TypeMirror whole, Element where, Elements elements, Problems problems) {
        this.whole = whole;
        this.where = where;
        this.outermost = outermost(where);
        this.elements = elements;
        this.problems = problems;
    }

    Type read() {
        Type type = maybe(whole, where, where.getSimpleName().toString(), false);
        if (unresolved) {
            return UNRESOLVED;
        }
        return type instanceof Type.Bad ? new Type.Bad(hasVariable(whole) ? "java.lang.Object" : plain(whole)) : type;
    }

    /** True if a type contains a type variable, which only a generic tuple has. */
    private static boolean hasVariable(TypeMirror type) {
        return type.getKind() == TypeKind.TYPEVAR
                || (type instanceof ArrayType array && hasVariable(array.getComponentType()))
                || (type instanceof DeclaredType declared
                        && declared.getTypeArguments().stream().anyMatch(TypeReader::hasVariable));
    }

    /** True if the compiler does not know the type, or a type in it, and will report it itself. */
    boolean isUnresolved() {
        return unresolved;
    }

    /** Reads a component's type. The type or the element that declares it may be marked as nullable. */
    private Type maybe(TypeMirror type, Element element, String path, boolean nested) {
        Optional<ClassRef> mark = Nullability.mark(type);
        boolean marked = mark.isPresent() || Nullability.mark(element).isPresent();
        Type read = read(type, path, nested);
        if (!marked || read instanceof Type.Bad) {
            return read;
        } else if (read instanceof Scalar scalar && scalar != Scalar.STRING && scalar != Scalar.TENSOR) {
            return nullable(path, type, "none, since a " + scalar(type) + " is never null", "Remove it.");
        }
        return new Type.Nullable(read, mark);
    }

    private static String scalar(TypeMirror type) {
        return type.getKind().name().toLowerCase(Locale.ROOT);
    }

    /** Returns the top-level class that contains a field. */
    private static @Nullable Element outermost(Element field) {
        @Nullable Element at = field.getEnclosingElement();
        while (at != null && at.getEnclosingElement() instanceof TypeElement outer) {
            at = outer;
        }
        return at;
    }

    private Type nullable(String path, TypeMirror type, String expected, String hint) {
        problems.add(where, Message.NULLABLE, path, simple(type), expected, hint);
        return UNRESOLVED;
    }

    private Type read(TypeMirror type, String path, boolean nested) {
        return switch (type.getKind()) {
            case BOOLEAN -> Scalar.BOOLEAN;
            case BYTE -> Scalar.BYTE;
            case SHORT -> Scalar.SHORT;
            case INT -> Scalar.INT;
            case LONG -> Scalar.LONG;
            case FLOAT -> Scalar.FLOAT;
            case DOUBLE -> Scalar.DOUBLE;
            case CHAR -> bad(path, type, "an int or a String", "");
            case ARRAY -> array((ArrayType) type, path);
            case DECLARED -> declared((DeclaredType) type, path, nested);
            case ERROR -> {
                unresolved = true;
                yield UNRESOLVED;
            }
            default -> bad(path, type, "a scalar, an array or a record", "");
        };
    }

    private Type array(ArrayType type, String path) {
        if (Nullability.mark(type.getComponentType()).isPresent()) {
            String elements = scalar(type.getComponentType());
            return nullable(
                    path, type, "on the array, not on its elements", "Write \"" + elements + " @Nullable []\".");
        }
        return switch (type.getComponentType().getKind()) {
            case BYTE -> new Type.Copied(Type.Items.BYTE);
            case INT -> new Type.Copied(Type.Items.INT);
            case LONG -> new Type.Copied(Type.Items.LONG);
            case FLOAT -> new Type.Copied(Type.Items.FLOAT);
            case DOUBLE -> new Type.Copied(Type.Items.DOUBLE);
            case ERROR -> {
                unresolved = true;
                yield UNRESOLVED;
            }
            case BOOLEAN -> new Type.Flags();
            case SHORT, CHAR -> bad(path, type, "an int[] or an IntArray", "");
            case ARRAY -> bad(path, type, "one array, [n, width] row by row", "Send the width in another component.");
            case DECLARED -> bad(path, type, "a List", "");
            default -> bad(path, type, "float[], double[], int[], long[], byte[] or boolean[]", "");
        };
    }

    private Type declared(DeclaredType type, String path, boolean nested) {
        TypeElement element = (TypeElement) type.asElement();
        String name = element.getQualifiedName().toString();
        if (name.equals(STRING)) {
            return Scalar.STRING;
        } else if (name.equals(TensorId.class.getName())) {
            return Scalar.TENSOR;
        }
        for (Type.Items items : Type.Items.values()) {
            if (name.equals(ARRAYS + items.shared())) {
                return nested
                        ? bad(
                                path,
                                type,
                                items.keyword() + "[] in a nested record",
                                "Shared arrays are components of the tuple itself.")
                        : new Type.Shared(items);
            }
        }
        if (element.getKind() == ElementKind.ENUM || element.getKind() == ElementKind.RECORD) {
            if (!ClassNames.isVisibleBeside(element)) {
                return bad(path, type, "one that is at least package-private", "Remove \"private\".");
            }
            return element.getKind() == ElementKind.ENUM
                    ? enumeration(type, element, path)
                    : tuple(type, element, path);
        }
        if (name.equals("java.util.List")) {
            return list(type, path);
        } else if (name.equals("java.util.Map")) {
            return map(type, path);
        }
        return bad(path, type, TypeAdvice.expectedFor(name), TypeAdvice.hintFor(name));
    }

    private Type enumeration(DeclaredType type, TypeElement element, String path) {
        List<Element> written = element.getEnclosedElements().stream()
                .filter(each -> each.getKind() == ElementKind.ENUM_CONSTANT)
                .map(Element.class::cast)
                .toList();
        if (written.isEmpty()) {
            return bad(path, type, "an enum with constants", "");
        }
        NestedVersions versions = versions(element);
        List<Type.Constant> constants = new ArrayList<>();
        Optional<String> unknown = Optional.empty();
        for (Element each : written) {
            String name = each.getSimpleName().toString();
            constants.add(new Type.Constant(name, versions.ofConstant(each, type(path, element) + "." + name)));
            if (Mirror.of(each, Unknown.class, elements).isPresent()) {
                unknown.ifPresent(other -> problems.add(
                        placeOf(each), Message.UNKNOWN, "constant " + name, ", and on " + other + " before it"));
                unknown = Optional.of(name);
            }
        }
        unresolved |= versions.isUnresolved();
        return new Type.Enumeration(ClassNames.of(element), constants, unknown);
    }

    private NestedVersions versions(TypeElement type) {
        return new NestedVersions(type, elements, problems, this::placeOf);
    }

    /**
     * Returns the element on which a problem of {@code each} is reported: {@code each} if it is in the function's own
     * file, otherwise the field that refers to it.
     */
    private Element placeOf(Element each) {
        return Objects.equals(outermost(each), outermost) ? each : where;
    }

    /**
     * Returns the name of a type in a message: its simple name if it is in the function's own file, otherwise the path
     * to it.
     */
    private String type(String path, TypeElement type) {
        return Objects.equals(outermost(type), outermost) ? type.getSimpleName().toString() : path;
    }

    private Type tuple(DeclaredType type, TypeElement element, String path) {
        ClassRef name = ClassNames.of(element);
        if (!element.getTypeParameters().isEmpty()) {
            return bad(path, type, "a record without type parameters", "Use concrete types.");
        }
        if (!within.add(name.qualified())) {
            return bad(
                    path, type, "records that do not contain themselves", "Use a list of rows that name each other.");
        }
        List<Type.Part> parts = new ArrayList<>();
        NestedVersions versions = versions(element);
        boolean bad = false;
        for (RecordComponentElement component : element.getRecordComponents()) {
            String part = component.getSimpleName().toString();
            Element field = TupleElement.field(element, component);
            Element outer = where;
            String own = type(path, element) + "." + part;
            where = placeOf(field); // a problem is reported once, at its declaration
            Type read = maybe(field.asType(), field, own, true);
            Mirror.of(field, Wire.class, elements)
                    .ifPresent(mirror -> problems.add(
                            where, Message.WIRE_TYPE, own, "in a nested record", "a FloatArray of the tuple itself"));
            where = outer;
            bad |= read instanceof Type.Bad;
            parts.add(new Type.Part(part, read, versions.ofComponent(field, own, read)));
        }
        unresolved |= versions.isUnresolved();
        within.remove(name.qualified());
        return bad ? UNRESOLVED : new Type.Tuple(name, parts);
    }

    private Type list(DeclaredType type, String path) {
        if (type.getTypeArguments().size() == 1 && type.getTypeArguments().get(0) instanceof DeclaredType of) {
            if (isUnknown(of)) {
                return UNRESOLVED;
            } else if (Nullability.mark(of).isPresent()) {
                return nullable(path, type, "on the list, not on its elements", "Leave out missing elements.");
            }
            Type each = element(of, path, true);
            if (each instanceof Type.Bad) {
                return each;
            } else if (each != null) {
                return each.leastBytes() == 0
                        ? bad(path, type, "a record with components in a list", "Send the number of them.")
                        : new Type.ListOf(each);
            }
        }
        return bad(path, type, TypeAdvice.LIST, "Wrap the elements in a record.");
    }

    private Type map(DeclaredType type, String path) {
        if (type.getTypeArguments().size() == 2
                && type.getTypeArguments().get(0) instanceof DeclaredType key
                && type.getTypeArguments().get(1) instanceof DeclaredType of) {
            if (isUnknown(key) || isUnknown(of)) {
                return UNRESOLVED;
            } else if (Nullability.mark(key).isPresent() || Nullability.mark(of).isPresent()) {
                return nullable(path, type, "on the map, not on its entries", "Leave out missing entries.");
            }
            Type each = qualified(key).equals(STRING) ? element(of, path, false) : null;
            if (each != null) {
                return each instanceof Type.Bad ? each : new Type.MapOf(each);
            }
        }
        return bad(path, type, TypeAdvice.MAP, "Use a List of a record with key and value.");
    }

    private boolean isUnknown(DeclaredType type) {
        unresolved |= type.getKind() == TypeKind.ERROR;
        return type.getKind() == TypeKind.ERROR;
    }

    /** Reads the type of a list's elements or of a map's values; null if it is not permitted there. */
    private @Nullable Type element(DeclaredType of, String path, boolean inList) {
        Scalar boxed = TypeAdvice.BOXED.get(qualified(of));
        if (boxed != null) {
            return boxed;
        }
        ElementKind kind = of.asElement().getKind();
        boolean fits = kind == ElementKind.ENUM
                || (inList && kind == ElementKind.RECORD)
                || qualified(of).equals(STRING)
                || qualified(of).equals(TensorId.class.getName());
        return fits ? read(of, path, true) : null;
    }

    private static String qualified(DeclaredType type) {
        return ((TypeElement) type.asElement()).getQualifiedName().toString();
    }

    private Type bad(String path, TypeMirror type, String expected, String hint) {
        problems.add(where, Message.TYPE, path, simple(type), expected, hint);
        return UNRESOLVED;
    }

    /** Returns the type's text without packages. */
    static String simple(TypeMirror type) {
        return plain(type).replaceAll("\\b[a-z][\\w]*\\.", "");
    }

    /** Returns the type's text without annotations. */
    private static String plain(TypeMirror type) {
        return type.toString().replaceAll("@[\\w.]+(\\([^)]*\\))?\\s*", "");
    }
}

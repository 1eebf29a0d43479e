package io.psf.processor.emit;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import com.palantir.javapoet.TypeVariableName;
import io.psf.api.TensorId;
import io.psf.processor.model.ClassRef;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Modifier;

/** Converts the model's names and types to JavaPoet's. */
final class Java {
    private static final AnnotationSpec GENERATED = AnnotationSpec.builder(
                    ClassName.get("javax.annotation.processing", "Generated"))
            .addMember("value", "$S", "io.psf.processor.PsfProcessor")
            .build();

    private static final int WIDE = 3;

    private Java() {}

    static ClassName name(ClassRef ref) {
        List<String> names = ref.simpleNames();
        return ClassName.get(
                ref.packageName(), names.get(0), names.subList(1, names.size()).toArray(String[]::new));
    }

    static TypeName type(Type type) {
        if (type instanceof Scalar scalar) {
            return switch (scalar) {
                case BOOLEAN -> TypeName.BOOLEAN;
                case BYTE -> TypeName.BYTE;
                case SHORT -> TypeName.SHORT;
                case INT -> TypeName.INT;
                case LONG -> TypeName.LONG;
                case FLOAT -> TypeName.FLOAT;
                case DOUBLE -> TypeName.DOUBLE;
                case STRING -> ClassName.get(String.class);
                case TENSOR -> ClassName.get(TensorId.class);
            };
        } else if (type instanceof Type.Enumeration enumeration) {
            return name(enumeration.name());
        } else if (type instanceof Type.Copied copied) {
            return ArrayTypeName.of(primitive(copied.of()));
        } else if (type instanceof Type.Flags) {
            return ArrayTypeName.of(TypeName.BOOLEAN);
        } else if (type instanceof Type.Shared shared) {
            return shared(shared.of());
        } else if (type instanceof Type.Tuple tuple) {
            return name(tuple.name());
        } else if (type instanceof Type.ListOf list) {
            return ParameterizedTypeName.get(
                    ClassName.get(List.class), type(list.of()).box());
        } else if (type instanceof Type.MapOf map) {
            return ParameterizedTypeName.get(
                    ClassName.get(Map.class),
                    ClassName.get(String.class),
                    type(map.of()).box());
        } else if (type instanceof Type.Nullable nullable) {
            return type(nullable.of());
        }
        return TypeVariableName.get(((Type.Bad) type).source());
    }

    /** Returns the type of a parameter, with its annotation if it is nullable. */
    static TypeName parameter(Type type) {
        TypeName name = type(type);
        return type instanceof Type.Nullable nullable && nullable.mark().isPresent()
                ? name.annotated(
                        AnnotationSpec.builder(name(nullable.mark().get())).build())
                : name;
    }

    static ClassName shared(Type.Items items) {
        return ClassName.get("io.psf.api.array", items.shared());
    }

    static TypeName primitive(Type.Items items) {
        return switch (items) {
            case BYTE -> TypeName.BYTE;
            case INT -> TypeName.INT;
            case LONG -> TypeName.LONG;
            case FLOAT -> TypeName.FLOAT;
            case DOUBLE -> TypeName.DOUBLE;
        };
    }

    /** Returns a public method that overrides one. */
    static MethodSpec.Builder override(String name) {
        return MethodSpec.methodBuilder(name).addAnnotation(Override.class).addModifiers(Modifier.PUBLIC);
    }

    static AnnotationSpec generated() {
        return GENERATED;
    }

    /** Returns the call of a record's constructor, with each argument on its own line if there are several. */
    static CodeBlock construct(TypeName type, List<CodeBlock> arguments) {
        boolean wide = arguments.size() > WIDE;
        CodeBlock joined = CodeBlock.join(arguments, wide ? ",\n" : ",$W");
        return wide ? CodeBlock.of("new $T(\n$L)", type, joined) : CodeBlock.of("new $T($L)", type, joined);
    }

    static Source source(ClassRef name, TypeSpec type) {
        JavaFile file = JavaFile.builder(name.packageName(), type)
                .skipJavaLangImports(true)
                .indent("    ")
                .build();
        String text = file.toString();
        return new Source(name.qualified(), text.endsWith("\n") ? text : text + "\n");
    }
}

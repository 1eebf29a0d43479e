package io.psf.processor.emit;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import com.palantir.javapoet.WildcardTypeName;
import io.psf.api.spi.Arguments;
import io.psf.api.spi.ListedProvider;
import io.psf.api.spi.NamedProvider;
import io.psf.processor.model.NamedModel;
import io.psf.processor.model.Scalar;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;

/** Generates the provider by which a node finds an optimizer or an initializer on its class path. */
final class NamedEmitter {
    private NamedEmitter() {}

    static Source emit(NamedModel model) {
        ClassName type = Java.name(model.type());
        CodeBlock names = model.parameters().stream()
                .map(each -> CodeBlock.of("$S", each.name()))
                .collect(CodeBlock.joining(", "));
        List<CodeBlock> parsed = model.parameters().stream()
                .map(each -> CodeBlock.of("arguments.$L($S)", parser(each.type()), each.name()))
                .collect(Collectors.toList());
        TypeSpec provider = TypeSpec.classBuilder(model.generated().simpleName())
                .addJavadoc("Provides {@link $T} to a node, by its name.", type)
                .addModifiers(Modifier.PUBLIC, Modifier.FINAL)
                .addAnnotation(Java.generated())
                .addAnnotation(AnnotationSpec.builder(ListedProvider.class)
                        .addMember("value", "$T.class", NamedProvider.class)
                        .build())
                .addSuperinterface(NamedProvider.class)
                .addMethod(method("kind", kind(), CodeBlock.of("$T.class", Java.name(model.annotation()))))
                .addMethod(method("name", ClassName.get(String.class), CodeBlock.of("$S", model.name())))
                .addMethod(method(
                        "arguments",
                        ParameterizedTypeName.get(List.class, String.class),
                        CodeBlock.of("$T.of($L)", List.class, names)))
                .addMethod(signature("create", type)
                        .addParameter(Arguments.class, "arguments")
                        .addStatement("return $L", Java.construct(type, parsed))
                        .build())
                .build();
        return Java.source(model.generated(), provider);
    }

    private static TypeName kind() {
        return ParameterizedTypeName.get(ClassName.get(Class.class), WildcardTypeName.subtypeOf(Annotation.class));
    }

    private static String parser(Scalar type) {
        return switch (type) {
            case FLOAT -> "float32";
            case DOUBLE -> "float64";
            case INT -> "int32";
            case LONG -> "int64";
            case BOOLEAN -> "flag";
            case STRING -> "text";
            case BYTE, SHORT, TENSOR -> throw new IllegalArgumentException("parameter: " + type);
        };
    }

    private static MethodSpec method(String name, TypeName type, CodeBlock answer) {
        return signature(name, type).addStatement("return $L", answer).build();
    }

    private static MethodSpec.Builder signature(String name, TypeName type) {
        return MethodSpec.methodBuilder(name)
                .addAnnotation(Override.class)
                .addModifiers(Modifier.PUBLIC)
                .returns(type);
    }
}

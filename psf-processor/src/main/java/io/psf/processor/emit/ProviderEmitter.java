package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import com.palantir.javapoet.WildcardTypeName;
import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.ListedProvider;
import io.psf.processor.model.ProviderModel;
import javax.lang.model.element.Modifier;

/** Generates the provider, the class by which a server finds a handler on its class path. */
final class ProviderEmitter {
    private ProviderEmitter() {}

    /** Returns the provider's source. */
    static Source emit(ProviderModel model) {
        ClassName handler = Java.name(model.handler());
        TypeName any = WildcardTypeName.subtypeOf(Object.class);
        ClassName function = Java.name(model.function().beside("Psf"));
        CodeBlock made = model.fallback() ? CodeBlock.of("new $T() {}", handler) : CodeBlock.of("new $T()", handler);
        TypeSpec.Builder type = TypeSpec.classBuilder(model.generated().simpleName())
                .addModifiers(Modifier.PUBLIC, Modifier.FINAL)
                .addAnnotation(Java.generated())
                .addAnnotation(ListedProvider.class)
                .addSuperinterface(HandlerProvider.class)
                .addMethod(method(
                        "function",
                        ParameterizedTypeName.get(ClassName.get(Function.class), any, any),
                        CodeBlock.of("$T.FUNCTION", function)))
                .addMethod(method(
                        "handler",
                        ClassName.get(String.class),
                        CodeBlock.of("$S", model.handler().binary())))
                .addMethod(method(
                        "binding",
                        ParameterizedTypeName.get(ClassName.get(Binding.class), any, any),
                        CodeBlock.of("$T.bind($L)", function, made)));
        if (model.fallback()) {
            type.addJavadoc("Provides the default body of {@link $T} to a server.", handler);
            type.addMethod(method("isDefault", TypeName.BOOLEAN, CodeBlock.of("true")));
        } else {
            type.addJavadoc("Provides {@link $T} to a server.", handler);
        }
        if (model.preference() != 0) {
            type.addMethod(method("preference", TypeName.INT, CodeBlock.of("$L", model.preference())));
        }
        return Java.source(model.generated(), type.build());
    }

    private static MethodSpec method(String name, TypeName type, CodeBlock answer) {
        return MethodSpec.methodBuilder(name)
                .addAnnotation(Override.class)
                .addModifiers(Modifier.PUBLIC)
                .returns(type)
                .addStatement("return $L", answer)
                .build();
    }
}

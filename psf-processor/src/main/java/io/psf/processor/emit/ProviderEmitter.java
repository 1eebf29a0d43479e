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
import io.psf.processor.model.OwnHandle;
import io.psf.processor.model.ProviderModel;
import javax.lang.model.element.Modifier;

/** Generates the provider, the class by which a server finds a handler on its class path. */
final class ProviderEmitter {
    private ProviderEmitter() {}

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
                .addMethod(signature("binding", ParameterizedTypeName.get(ClassName.get(Binding.class), any, any))
                        .addCode(model.own()
                                .map(own -> bindOwn(handler, function, own))
                                .orElseGet(() -> CodeBlock.of("return $T.bind($L);\n", function, made)))
                        .build());
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

    /** Returns the binding of a handler that does not implement the function's interface. */
    private static CodeBlock bindOwn(ClassName handler, ClassName function, OwnHandle own) {
        CodeBlock shard = own.shard()
                .map(kind -> CodeBlock.of("$T.class,$W", Java.name(kind)))
                .orElse(CodeBlock.of(""));
        return CodeBlock.builder()
                .addStatement("$T handler = new $T()", handler, handler)
                .addStatement(
                        "return $T.$L($T.FUNCTION,$W$Lhandler,$Whandler::handle)",
                        Binding.class,
                        own.later() ? "shardLater" : "shard",
                        function,
                        shard)
                .build();
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

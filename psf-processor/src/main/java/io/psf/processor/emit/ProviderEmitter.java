package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import com.palantir.javapoet.WildcardTypeName;
import io.psf.api.spi.Binding;
import io.psf.api.spi.HandlerProvider;
import io.psf.processor.model.ProviderModel;
import javax.lang.model.element.Modifier;

/** Writes the class that brings a handler to a server's class path. */
public final class ProviderEmitter {
    private ProviderEmitter() {}

    /** The provider's source. */
    public static Source emit(ProviderModel model) {
        ClassName handler = Java.name(model.handler());
        TypeName any = WildcardTypeName.subtypeOf(Object.class);
        MethodSpec.Builder binding = MethodSpec.methodBuilder("binding")
                .addAnnotation(Override.class)
                .addModifiers(Modifier.PUBLIC)
                .returns(ParameterizedTypeName.get(ClassName.get(Binding.class), any, any));
        CodeBlock made = model.fallback() ? CodeBlock.of("new $T() {}", handler) : CodeBlock.of("new $T()", handler);
        binding.addStatement("return $T.bind($L)", Java.name(model.function().beside("Psf")), made);
        TypeSpec.Builder type = TypeSpec.classBuilder(model.generated().simpleName())
                .addModifiers(Modifier.PUBLIC, Modifier.FINAL)
                .addAnnotation(Java.generated())
                .addSuperinterface(HandlerProvider.class)
                .addMethod(binding.build());
        if (model.fallback()) {
            type.addJavadoc("Brings the default body of {@link $T} to a server.", handler);
            type.addMethod(MethodSpec.methodBuilder("isDefault")
                    .addAnnotation(Override.class)
                    .addModifiers(Modifier.PUBLIC)
                    .returns(boolean.class)
                    .addStatement("return true")
                    .build());
        } else {
            type.addJavadoc("Brings {@link $T} to a server.", handler);
        }
        return Java.source(model.generated(), type.build());
    }
}

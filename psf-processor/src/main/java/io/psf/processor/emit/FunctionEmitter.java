package io.psf.processor.emit;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.psf.api.Caller;
import io.psf.api.Names;
import io.psf.api.Place;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.processor.model.FunctionModel;
import java.util.List;
import javax.lang.model.element.Modifier;

/** Generates {@code XPsf} for a function {@code X}. */
final class FunctionEmitter {
    private final FunctionModel model;
    private final ClassName type;
    private final ClassName generated;
    private final TypeName request;
    private final TypeName response;
    private final boolean skeleton;

    private FunctionEmitter(FunctionModel model, boolean skeleton) {
        this.model = model;
        this.type = Java.name(model.type());
        this.generated = Java.name(model.generated());
        this.request = Java.name(model.requestType());
        this.response = Java.name(model.responseType());
        this.skeleton = skeleton;
    }

    /** Returns the source of a function without problems. */
    static Source emit(FunctionModel model) {
        return new FunctionEmitter(model, false).source();
    }

    /**
     * Returns a source with the same signatures and bodies that throw, so that one problem does not cause further
     * errors.
     */
    static Source emitSkeleton(FunctionModel model) {
        return new FunctionEmitter(model, true).source();
    }

    private Source source() {
        TypeSpec.Builder builder = TypeSpec.classBuilder(generated)
                .addJavadoc("The codec, the partition, the merge and the stub of {@link $T}.\n", type)
                .addAnnotation(Java.generated())
                .addAnnotation(suppressed())
                .addModifiers(Modifier.FINAL)
                .addFields(constants())
                .addMethod(MethodSpec.constructorBuilder()
                        .addModifiers(Modifier.PRIVATE)
                        .build())
                .addMethod(bind())
                .addMethod(stub())
                .addType(new StubEmitter(model, skeleton).stub());
        if (model.visible()) {
            builder.addModifiers(Modifier.PUBLIC);
        }
        if (!skeleton) {
            Constants constants = new Constants(model);
            builder.addType(new CodecEmitter(model, constants).codec());
            builder.addType(new MergeEmitter(model, constants).merge());
            builder.addFields(constants.fields());
        }
        return Java.source(model.generated(), builder.build());
    }

    /**
     * Returns the annotation that suppresses warnings of other checks in generated code. A skeleton of a generic
     * interface refers to it without type arguments.
     */
    private AnnotationSpec suppressed() {
        AnnotationSpec.Builder suppressed =
                AnnotationSpec.builder(SuppressWarnings.class).addMember("value", "$S", "NullAway");
        return (skeleton ? suppressed.addMember("value", "$S", "rawtypes") : suppressed).build();
    }

    private List<FieldSpec> constants() {
        Modifier[] constant = {Modifier.PUBLIC, Modifier.STATIC, Modifier.FINAL};
        return List.of(
                FieldSpec.builder(String.class, "NAME", constant)
                        .addJavadoc("The function's name, its identity between processes.\n")
                        .initializer("$S", model.name())
                        .build(),
                FieldSpec.builder(int.class, "ID", constant)
                        .addJavadoc("The number that represents the name on the wire.\n")
                        .initializer("$L", Names.number(model.name()))
                        .build(),
                FieldSpec.builder(
                                ParameterizedTypeName.get(ClassName.get(Function.class), request, response),
                                "FUNCTION",
                                constant)
                        .addJavadoc("The codec, the partition and the merge, which the runtime calls.\n")
                        .initializer(skeleton ? CodeBlock.of("null") : CodeBlock.of("new Codec()"))
                        .build());
    }

    private MethodSpec bind() {
        String factory = (model.place() == Place.SHARD ? "shard" : "node") + (model.later() ? "Later" : "");
        CodeBlock shard = model.shard()
                .map(kind -> CodeBlock.of("$T.class, ", Java.name(kind)))
                .orElse(CodeBlock.of(""));
        return MethodSpec.methodBuilder("bind")
                .addJavadoc("Returns the binding of a handler, which a server runs.\n")
                .addModifiers(Modifier.PUBLIC, Modifier.STATIC)
                .returns(ParameterizedTypeName.get(ClassName.get(Binding.class), request, response))
                .addParameter(type, "handler")
                .addStatement(
                        skeleton
                                ? StubEmitter.refusal(type)
                                : CodeBlock.of(
                                        "return $T.$L(FUNCTION, $Lhandler, handler::handle)",
                                        Binding.class,
                                        factory,
                                        shard))
                .build();
    }

    private MethodSpec stub() {
        return MethodSpec.methodBuilder("stub")
                .addJavadoc("Returns the stub with which a caller calls the function.\n")
                .addModifiers(Modifier.PUBLIC, Modifier.STATIC)
                .returns(generated.nestedClass("Stub"))
                .addParameter(Caller.class, "caller")
                .addStatement("return new Stub($T.of(caller), $T.DEFAULT)", FunctionCaller.class, CallOptions.class)
                .build();
    }
}

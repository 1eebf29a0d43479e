package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.psf.api.Place;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import java.util.List;
import javax.lang.model.element.Modifier;

/** Generates {@code XPsf.Codec}: the function's info, and the methods that write and read its tuples. */
final class CodecEmitter {
    private final FunctionModel model;
    private final ClassName request;
    private final ClassName response;
    private final Constants constants;
    private final ValueEmitter values;

    CodecEmitter(FunctionModel model, Constants constants) {
        this.model = model;
        this.constants = constants;
        this.values = new ValueEmitter(constants);
        this.request = Java.name(model.requestType());
        this.response = Java.name(model.responseType());
    }

    TypeSpec codec() {
        TypeSpec.Builder codec = TypeSpec.classBuilder("Codec")
                .addModifiers(Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
                .superclass(ParameterizedTypeName.get(ClassName.get(Function.class), request, response))
                .addMethod(constructor());
        codec.addMethods(new RequestEmitter(model, constants, values).methods());
        codec.addMethod(read()).addMethod(writeAnswer());
        if (model.decodesAnswers()) {
            codec.addMethod(readAnswer());
        }
        return codec.addMethod(merge()).addMethods(values.methods()).build();
    }

    private MethodSpec constructor() {
        CodeBlock.Builder schemas = CodeBlock.builder();
        for (String schema : model.schemas()) {
            schemas.add(",\n$L", LineBreaks.literal(schema));
        }
        return MethodSpec.constructorBuilder()
                .addStatement(
                        "super($T.of(NAME, $T.$L, $L$L)$L$L)",
                        FunctionInfo.class,
                        Place.class,
                        model.place(),
                        model.readOnly(),
                        schemas.build(),
                        model.ordered() ? "" : ".unordered()",
                        formerly())
                .build();
    }

    private CodeBlock formerly() {
        return model.formerly().isEmpty()
                ? CodeBlock.of("")
                : model.formerly().stream()
                        .map(name -> CodeBlock.of("$S", name))
                        .collect(CodeBlock.joining(", ", "\n.formerly(", ")"));
    }

    private MethodSpec read() {
        return Java.override("read")
                .returns(request)
                .addParameter(TupleReader.class, "in")
                .addCode(ValueEmitter.sections("in", model.request(), model.version()))
                .addStatement("return $L", tuple(request, model.request()))
                .build();
    }

    private MethodSpec writeAnswer() {
        MethodSpec.Builder write =
                Java.override("writeAnswer").addParameter(response, "answer").addParameter(TupleWriter.class, "out");
        for (Component each : model.response()) {
            write.addCode(values.answer(each, model));
        }
        return write.addCode(ValueEmitter.sections("out", model.response(), model.version()))
                .build();
    }

    private MethodSpec readAnswer() {
        return MethodSpec.methodBuilder("readAnswer")
                .addModifiers(Modifier.STATIC)
                .returns(response)
                .addParameter(TupleReader.class, "in")
                .addCode(ValueEmitter.sections("in", model.response(), model.version()))
                .addStatement("return $L", tuple(response, model.response()))
                .build();
    }

    private CodeBlock tuple(TypeName type, List<Component> components) {
        List<CodeBlock> arguments = components.stream().map(values::read).toList();
        return Java.construct(type, arguments);
    }

    private MethodSpec merge() {
        return Java.override("merge")
                .returns(ParameterizedTypeName.get(ClassName.get(Merge.class), response))
                .addParameter(request, "request")
                .addParameter(Routing.class, "routing")
                .addParameter(response, "into")
                .addStatement("return new Answers($L)", MergeEmitter.arguments(model))
                .build();
    }
}

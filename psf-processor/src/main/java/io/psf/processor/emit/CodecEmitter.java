package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Type;
import java.util.List;
import java.util.OptionalLong;
import javax.lang.model.element.Modifier;

/** Generates {@code XPsf.Codec}: the function's info, its partition, and the methods that write and read its tuples. */
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
        if (model.place() == Place.SHARD) {
            codec.addMethod(target());
            others(codec);
            routing(codec);
        }
        model.owner()
                .ifPresent(key -> codec.addMethod(override("ownerKey")
                        .returns(OptionalLong.class)
                        .addParameter(request, "request")
                        .addStatement("return $T.of(request.$N())", OptionalLong.class, key.name())
                        .build()));
        codec.addMethod(write()).addMethod(read()).addMethod(writeAnswer());
        if (model.decodesAnswers()) {
            codec.addMethod(readAnswer());
        }
        return codec.addMethod(merge()).addMethods(values.methods()).build();
    }

    private MethodSpec constructor() {
        CodeBlock.Builder schemas = CodeBlock.builder();
        for (String schema : model.schemas()) {
            schemas.add(",\n$L", Text.literal(schema));
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

    private MethodSpec target() {
        String name = model.request().stream()
                .filter(component -> component.layout() instanceof Layout.Target)
                .map(Component::name)
                .findFirst()
                .orElseThrow();
        return override("target")
                .returns(TensorId.class)
                .addParameter(request, "request")
                .addStatement("return request.$N()", name)
                .build();
    }

    /** Adds the method that returns the other tensors whose keys the request has. */
    private void others(TypeSpec.Builder codec) {
        List<CodeBlock> others = model.request().stream()
                .map(each -> each.layout().of())
                .filter(of -> !of.isEmpty())
                .map(of -> CodeBlock.of("request.$N()", of))
                .toList();
        if (!others.isEmpty()) {
            codec.addMethod(override("others")
                    .returns(ParameterizedTypeName.get(List.class, TensorId.class))
                    .addParameter(request, "request")
                    .addStatement("return $T.of($L)", List.class, CodeBlock.join(others, ", "))
                    .build());
        }
    }

    /** Returns the expression for the layout of the tensor whose keys a component has. */
    private static CodeBlock layoutOf(Layout layout) {
        return layout.of().isEmpty()
                ? CodeBlock.of("routing.layout()")
                : CodeBlock.of("routing.beside($S, request.$N())", layout.of(), layout.of());
    }

    /**
     * Adds the method that describes the request to the routing. Key sets are added first, because the components along
     * them refer to them.
     */
    private void routing(TypeSpec.Builder codec) {
        CodeBlock.Builder body = CodeBlock.builder();
        boolean keys = false;
        for (Component each : model.request()) {
            if (each.layout() instanceof Layout.ByKey byKey) {
                keys = true;
                body.addStatement(
                        "routing.keys($L, $S,$Wrequest.$N(),$W$T.$L, $L$L)",
                        constants.keys(byKey.set()),
                        each.name(),
                        each.name(),
                        Reduction.class,
                        byKey.combine(),
                        byKey.everySlice(),
                        byKey.of().isEmpty() ? "" : CodeBlock.of(",$W$L", layoutOf(byKey)));
            } else if (each.layout() instanceof Layout.ElementsByKey elements) {
                keys = true;
                body.addStatement(
                        "routing.elements($L, $S,$Wrequest.$N(),$W$T::$N, $L,$W$L)",
                        constants.keys(elements.set()),
                        each.name(),
                        each.name(),
                        Java.type(((Type.ListOf) each.type()).of()),
                        elements.key(),
                        elements.everySlice(),
                        layoutOf(elements));
            }
        }
        for (Component each : model.request()) {
            if (each.layout() instanceof Layout.ByRange byRange) {
                lay(
                        body,
                        each,
                        1,
                        "range($L, $S,$Wrequest.$N(), $L)",
                        constants.array(each.index()),
                        each.name(),
                        each.name(),
                        byRange.width());
            } else if (each.layout() instanceof Layout.AlongKeys along) {
                lay(
                        body,
                        each,
                        sinceOfSet(along.set()),
                        "along($L, $S,$W$L,$Wrequest.$N(), $L)",
                        constants.array(each.index()),
                        each.name(),
                        constants.keys(along.set()),
                        each.name(),
                        along.width());
            }
        }
        for (Component each : model.request()) {
            if (each.layout() instanceof Layout.Ragged ragged) {
                lay(
                        body,
                        each,
                        model.request().get(ragged.index()).since(),
                        "ragged($L, $S,$W$L,$Wrequest.$N())",
                        constants.array(each.index()),
                        each.name(),
                        constants.array(ragged.index()),
                        each.name());
            }
        }
        laterKeys(body);
        if (keys && model.response().stream().anyMatch(each -> each.layout() instanceof Layout.ByRange)) {
            body.addStatement("routing.everySlice()");
        }
        CodeBlock statements = body.build();
        if (!statements.isEmpty()) {
            codec.addMethod(override("route")
                    .addParameter(request, "request")
                    .addParameter(Routing.class, "routing")
                    .addCode(statements)
                    .build());
        }
    }

    /**
     * Adds the statement that describes an array to the routing. An array of a later version than the component that it
     * goes along may be empty, as in a request of an older call.
     *
     * @param since the version of the component that the array goes along
     */
    private void lay(CodeBlock.Builder body, Component each, int since, String call, Object... arguments) {
        if (each.since() > since) {
            body.beginControlFlow("if (request.$N().length() == 0)", each.name())
                    .addStatement("routing.absent($L, request.$N())", constants.array(each.index()), each.name())
                    .nextControlFlow("else")
                    .addStatement("routing." + call, arguments)
                    .endControlFlow();
        } else {
            body.addStatement("routing." + call, arguments);
        }
    }

    private int sinceOfSet(int set) {
        return model.request().stream()
                .filter(each -> each.layout().keySet() == set)
                .mapToInt(Component::since)
                .findFirst()
                .orElse(1);
    }

    /**
     * Before the function had keys, every slice got the request. For this reason every slice gets the request if the
     * first keys are absent.
     */
    private void laterKeys(CodeBlock.Builder body) {
        List<Component> keys = model.request().stream()
                .filter(each -> each.layout().keySet() >= 0)
                .toList();
        int first = keys.stream().mapToInt(Component::since).min().orElse(1);
        if (first > 1) {
            CodeBlock none = keys.stream()
                    .filter(each -> each.since() == first)
                    .map(each -> CodeBlock.of(
                            each.layout() instanceof Layout.ElementsByKey
                                    ? "request.$N().isEmpty()"
                                    : "request.$N().length() == 0",
                            each.name()))
                    .collect(CodeBlock.joining(" && "));
            body.beginControlFlow("if ($L)", none)
                    .addStatement("routing.everySlice()")
                    .endControlFlow();
        }
    }

    private MethodSpec write() {
        MethodSpec.Builder write = override("write")
                .addParameter(request, "request")
                .addParameter(Routing.class, "routing")
                .addParameter(int.class, "part")
                .addParameter(TupleWriter.class, "out");
        for (Component each : model.request()) {
            if (!each.layout().of().isEmpty()) {
                write.addStatement(
                        "routing.writeStamp($L, part, out)",
                        constants.keys(each.layout().keySet()));
            }
            if (each.layout() instanceof Layout.ByKey byKey) {
                write.addStatement("routing.writeKeys($L, part, out)", constants.keys(byKey.set()));
            } else if (each.layout() instanceof Layout.ElementsByKey elements) {
                write.addCode(values.statement(
                        each, CodeBlock.of("routing.elements($L, part)", constants.keys(elements.set()))));
            } else if (each.layout().isLaidOut() || each.layout() instanceof Layout.Ragged) {
                write.addStatement("routing.write($L, part, out)", constants.array(each.index()));
            } else if (!(each.layout() instanceof Layout.Target)) {
                write.addCode(values.statement(each, CodeBlock.of("request.$N()", each.name())));
            }
        }
        return write.addCode(ValueEmitter.sections("out", model.request(), model.version()))
                .build();
    }

    private MethodSpec read() {
        return override("read")
                .returns(request)
                .addParameter(TupleReader.class, "in")
                .addCode(ValueEmitter.sections("in", model.request(), model.version()))
                .addStatement("return $L", tuple(request, model.request()))
                .build();
    }

    private MethodSpec writeAnswer() {
        MethodSpec.Builder write =
                override("writeAnswer").addParameter(response, "answer").addParameter(TupleWriter.class, "out");
        for (Component each : model.response()) {
            write.addCode(values.statement(each, CodeBlock.of("answer.$N()", each.name())));
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
        return override("merge")
                .returns(ParameterizedTypeName.get(ClassName.get(Merge.class), response))
                .addParameter(request, "request")
                .addParameter(Routing.class, "routing")
                .addParameter(response, "into")
                .addStatement("return new Answers($L)", MergeEmitter.arguments(model))
                .build();
    }

    static MethodSpec.Builder override(String name) {
        return MethodSpec.methodBuilder(name).addAnnotation(Override.class).addModifiers(Modifier.PUBLIC);
    }
}

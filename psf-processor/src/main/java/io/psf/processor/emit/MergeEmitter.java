package io.psf.processor.emit;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeSpec;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Layout;
import io.psf.processor.model.OwnMerge;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Modifier;

/**
 * Generates {@code XPsf.Answers}. Arrays are scattered when they arrive. Values with a reduction are stored by part and
 * folded in slice order. Whole answers are passed to the user's own merge. Parts that must be decoded into the user's
 * records are stored until all answers have arrived, because the records' constructors are the user's code.
 */
final class MergeEmitter {
    private final FunctionModel model;
    private final ClassName response;
    private final Constants constants;
    private final ValueEmitter values;

    MergeEmitter(FunctionModel model, Constants constants) {
        this.model = model;
        this.constants = constants;
        this.values = new ValueEmitter(constants);
        this.response = Java.name(model.responseType());
    }

    /** Returns the arguments of the constructor. */
    static String arguments(FunctionModel model) {
        List<String> arguments = new ArrayList<>();
        if (model.own().takesRequest()) {
            arguments.add("request");
        }
        if (takesRouting(model)) {
            arguments.add("routing");
        }
        if (model.fills()) {
            arguments.add("into");
        }
        return String.join(", ", arguments);
    }

    private static boolean takesRouting(FunctionModel model) {
        return !model.isSingle() && (model.merged() || !model.response().isEmpty());
    }

    TypeSpec merge() {
        TypeSpec.Builder type = TypeSpec.classBuilder("Answers")
                .addModifiers(Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
                .addSuperinterface(ParameterizedTypeName.get(ClassName.get(Merge.class), response));
        MethodSpec.Builder constructor = constructor(type);
        if (model.isSingle()) {
            type.addField(TupleReader.class, "kept", Modifier.PRIVATE);
            type.addField(response, "answer", Modifier.PRIVATE);
            type.addMethod(add(CodeBlock.of("kept = in.keep();\n")));
            type.addMethod(decode(CodeBlock.of("answer = Codec.readAnswer(kept);\n")));
            type.addMethod(result(CodeBlock.of("answer")));
            return type.build();
        } else if (model.merged()) {
            keep(type, constructor);
            type.addField(ArrayTypeName.of(response), "answers", Modifier.PRIVATE, Modifier.FINAL);
            constructor.addStatement("this.answers = new $T[routing.parts()]", response);
            type.addMethod(add(CodeBlock.of("kept[part] = in.keep();\n")));
            type.addMethod(decode(CodeBlock.of("answers[part] = Codec.readAnswer(kept[part]);\n")));
            type.addMethod(result(CodeBlock.of(
                    model.own().takesRequest() ? "$T.merge(request, $T.of(answers))" : "$T.merge($T.of(answers))",
                    Java.name(model.type()),
                    List.class)));
        } else {
            componentwise(type, constructor);
        }
        MethodSpec made = constructor.build();
        if (!made.parameters().isEmpty()) {
            type.addMethod(made);
        }
        return type.build();
    }

    /** Returns the constructor with its parameters. The parameters that are needed later are stored in fields. */
    private MethodSpec.Builder constructor(TypeSpec.Builder type) {
        MethodSpec.Builder constructor = MethodSpec.constructorBuilder();
        if (model.own().takesRequest()) {
            ClassName request = Java.name(model.requestType());
            constructor.addParameter(request, "request");
            type.addField(request, "request", Modifier.PRIVATE, Modifier.FINAL);
            constructor.addStatement("this.request = request");
        }
        if (takesRouting(model)) {
            constructor.addParameter(Routing.class, "routing");
        }
        if (model.fills()) {
            constructor.addParameter(response, "into");
        }
        return constructor;
    }

    private static void keep(TypeSpec.Builder type, MethodSpec.Builder constructor) {
        type.addField(ArrayTypeName.of(TupleReader.class), "kept", Modifier.PRIVATE, Modifier.FINAL);
        constructor.addStatement("this.kept = new $T[routing.parts()]", TupleReader.class);
    }

    private void componentwise(TypeSpec.Builder type, MethodSpec.Builder constructor) {
        List<ComponentMerge> merges =
                model.response().stream().map(this::componentMerge).toList();
        boolean keeps = merges.stream().anyMatch(ComponentMerge::isDecodedLate);
        CodeBlock sections = ValueEmitter.sections("in", model.response(), model.version());
        CodeBlock.Builder add = CodeBlock.builder().add(keeps ? CodeBlock.of("") : sections);
        CodeBlock.Builder decode = CodeBlock.builder().add(keeps ? sections : CodeBlock.of(""));
        if (model.fills() || model.mergesProducedRows() || model.mergesLists()) {
            type.addField(Routing.class, "routing", Modifier.PRIVATE, Modifier.FINAL);
            constructor.addStatement("this.routing = routing");
        }
        if (keeps) {
            keep(type, constructor);
        }
        for (Component each : model.response()) {
            ComponentMerge merge = merges.get(each.index());
            type.addField(merge.fieldType(), ComponentMerge.field(each), Modifier.PRIVATE, Modifier.FINAL);
            constructor.addStatement("this.$N = $L", ComponentMerge.field(each), merge.initial());
            (keeps && !(each.type() instanceof Type.Shared) ? decode : add).add(add(each, merge));
        }
        if (keeps) {
            add.addStatement("kept[part] = in.keep()");
        }
        type.addMethod(add(add.build()));
        if (keeps) {
            type.addMethod(decode(CodeBlock.builder()
                    .addStatement("$T in = kept[part]", TupleReader.class)
                    .add(decode.build())
                    .build()));
        }
        CodeBlock merged = Java.construct(
                response, merges.stream().map(ComponentMerge::merged).toList());
        type.addMethod(result(
                model.own() == OwnMerge.FINISH
                        ? CodeBlock.of("$T.finish(request, $L)", Java.name(model.type()), merged)
                        : merged));
        type.addMethods(values.methods());
    }

    /** Returns the merge of a component's layout. */
    private ComponentMerge componentMerge(Component each) {
        Layout layout = each.layout();
        if (layout instanceof Layout.ByRange byRange) {
            return new RangeMerge(each, byRange);
        } else if (layout instanceof Layout.AlongKeys along) {
            return new KeyRowsMerge(each, along, constants.keys(along.set()));
        } else if (layout instanceof Layout.ElementsAlongKeys elements) {
            return new ElementsMerge(each, constants.keys(elements.set()));
        } else if (each.type() instanceof Type.Shared shared) {
            return new ArraysMerge(each, shared, constants);
        }
        return each.type() instanceof Scalar scalar
                ? new ScalarMerge(each, scalar, ((Layout.Reduced) layout).reduction())
                : new CollectionsMerge(each);
    }

    private static MethodSpec add(CodeBlock body) {
        return Java.override("add")
                .addParameter(int.class, "part")
                .addParameter(TupleReader.class, "in")
                .addCode(body)
                .build();
    }

    private static MethodSpec decode(CodeBlock body) {
        return Java.override("decode")
                .addParameter(int.class, "part")
                .addCode(body)
                .build();
    }

    private MethodSpec result(CodeBlock value) {
        return Java.override("result")
                .returns(response)
                .addStatement("return $L", value)
                .build();
    }

    /**
     * Returns the statements that read a component of one part's answer. An older server does not send components of
     * later versions.
     */
    private CodeBlock add(Component each, ComponentMerge merge) {
        CodeBlock.Builder body = CodeBlock.builder();
        CodeBlock add = merge.add(values.read(each.type(), each.since()));
        if (each.since() == 1) {
            return body.addStatement(add).build();
        }
        body.beginControlFlow("if (in.has($L))", each.since()).addStatement(add);
        merge.absent().ifPresent(clear -> body.nextControlFlow("else").addStatement(clear));
        return body.endControlFlow().build();
    }
}

package io.psf.processor.emit;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Concatenation;
import io.psf.api.spi.Folds;
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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.lang.model.element.Modifier;

/**
 * Generates {@code XPsf.Answers}. Arrays are scattered when they arrive. Values with a reduction are stored by part and
 * folded in slice order. Whole answers are passed to the user's own merge. Parts that must be decoded into the user's
 * records are stored until all answers have arrived, because the records' constructors are the user's code.
 */
final class MergeEmitter {
    private static final Set<String> RESERVED = Set.of("request", "routing", "into", "part", "in", "answers", "kept");

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
        boolean keeps = model.response().stream()
                .anyMatch(each -> each.type() instanceof Type.ListOf || each.type() instanceof Type.MapOf);
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
            type.addField(fieldType(each), field(each), Modifier.PRIVATE, Modifier.FINAL);
            constructor.addStatement("this.$N = $L", field(each), initial(each));
            add(each, keeps && !(each.type() instanceof Type.Shared) ? decode : add);
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
                response, model.response().stream().map(this::merged).toList());
        type.addMethod(result(
                model.own() == OwnMerge.FINISH
                        ? CodeBlock.of("$T.finish(request, $L)", Java.name(model.type()), merged)
                        : merged));
        type.addMethods(values.methods());
    }

    private static MethodSpec add(CodeBlock body) {
        return CodecEmitter.override("add")
                .addParameter(int.class, "part")
                .addParameter(TupleReader.class, "in")
                .addCode(body)
                .build();
    }

    private static MethodSpec decode(CodeBlock body) {
        return CodecEmitter.override("decode")
                .addParameter(int.class, "part")
                .addCode(body)
                .build();
    }

    private MethodSpec result(CodeBlock value) {
        return CodecEmitter.override("result")
                .returns(response)
                .addStatement("return $L", value)
                .build();
    }

    private static String field(Component component) {
        return field(component.name());
    }

    private static String field(String name) {
        String bare = name.replaceAll("_+$", "");
        return RESERVED.contains(bare) || Constants.isReserved(bare) ? name + "_" : name;
    }

    private static TypeName fieldType(Component component) {
        if (component.layout().isLaidOut()) {
            return Java.type(component.type());
        } else if (component.type() instanceof Type.Shared) {
            return ArrayTypeName.of(Java.type(component.type()));
        } else if (component.layout() instanceof Layout.ElementsAlongKeys) {
            return Java.type(component.type());
        } else if (component.type() instanceof Type.ListOf || component.type() instanceof Type.MapOf) {
            return ParameterizedTypeName.get(ClassName.get(List.class), Java.type(component.type()));
        }
        return ArrayTypeName.of(accumulator((Scalar) component.type()));
    }

    /** Returns the type in which a scalar is folded. */
    private static TypeName accumulator(Scalar scalar) {
        return switch (scalar) {
            case BOOLEAN -> TypeName.BOOLEAN;
            case FLOAT, DOUBLE -> TypeName.DOUBLE;
            default -> TypeName.LONG;
        };
    }

    private CodeBlock initial(Component component) {
        if (component.type() instanceof Type.Shared shared) {
            TypeName array = Java.shared(shared.of());
            if (!component.layout().isLaidOut()) {
                return CodeBlock.of("new $T[routing.parts()]", array);
            }
            CodeBlock length = component.layout() instanceof Layout.AlongKeys along
                    ? CodeBlock.of("routing.alongLength($L, $L)", constants.keys(along.set()), along.width())
                    : CodeBlock.of("routing.rangeLength($L)", ((Layout.ByRange) component.layout()).width());
            return CodeBlock.of(
                    "into == null\n? $T.allocate($L)\n: routing.target($S, into.$N(), $L)",
                    array,
                    length,
                    component.name(),
                    component.name(),
                    length);
        }
        if (component.layout() instanceof Layout.ElementsAlongKeys elements) {
            return CodeBlock.of("routing.places($L)", constants.keys(elements.set()));
        } else if (component.type() instanceof Type.ListOf) {
            return CodeBlock.of("$T.lists(routing.parts())", Concatenation.class);
        } else if (component.type() instanceof Type.MapOf) {
            return CodeBlock.of("$T.maps(routing.parts())", Concatenation.class);
        }
        return CodeBlock.of("new $T[routing.parts()]", accumulator((Scalar) component.type()));
    }

    /**
     * Adds the statements that read a component of one part's answer. An older server does not send components of later
     * versions.
     */
    private void add(Component each, CodeBlock.Builder body) {
        boolean later = each.since() > 1;
        if (later) {
            body.beginControlFlow("if (in.has($L))", each.since());
        }
        CodeBlock read = values.read(each.type(), each.since());
        String field = field(each);
        if (each.layout() instanceof Layout.ByRange byRange) {
            body.addStatement("routing.mergeRange($S, part,$W$L, $N,$W$L)", each.name(), read, field, byRange.width());
        } else if (each.layout() instanceof Layout.AlongKeys along) {
            body.addStatement(
                    "routing.mergeAlong($S, part,$W$L, $L,$W$N, $L)",
                    each.name(),
                    constants.keys(along.set()),
                    read,
                    field,
                    along.width());
        } else if (each.type() instanceof Type.Shared) {
            body.addStatement("$N[part] = $L.copy()", field, read);
        } else if (each.layout() instanceof Layout.ElementsAlongKeys elements) {
            body.addStatement(
                    "routing.mergeElements($S, part,$W$L,$W$L,$W$N)",
                    each.name(),
                    constants.keys(elements.set()),
                    read,
                    field);
        } else if (each.type() instanceof Type.ListOf || each.type() instanceof Type.MapOf) {
            body.addStatement("$N.set(part, $L)", field, read);
        } else {
            body.addStatement("$N[part] = $L", field, read);
        }
        if (later && each.layout() instanceof Layout.ByRange byRange) {
            body.nextControlFlow("else").addStatement("routing.clearRange(part, $N, $L)", field, byRange.width());
        } else if (later && each.layout() instanceof Layout.AlongKeys along) {
            body.nextControlFlow("else")
                    .addStatement(
                            "routing.clearAlong(part, $L,$W$N, $L)", constants.keys(along.set()), field, along.width());
        } else if (later && each.layout() instanceof Layout.ElementsAlongKeys elements) {
            body.nextControlFlow("else")
                    .addStatement(
                            "routing.clearElements(part, $L,$W$L,$W$N)",
                            constants.keys(elements.set()),
                            Defaults.of(((Type.ListOf) each.type()).of()),
                            field);
        }
        if (later) {
            body.endControlFlow();
        }
    }

    private CodeBlock merged(Component each) {
        String field = field(each);
        if (each.layout() instanceof Layout.ProducedKeys) {
            return CodeBlock.of("$T.of($N, $T::allocate)", Concatenation.class, field, Java.shared(Type.Items.LONG));
        } else if (each.layout() instanceof Layout.AlongProducedKeys along) {
            return CodeBlock.of(
                    "$T.along($S, $N, $N,$Wrouting.width($L),$W$T::allocate)",
                    Concatenation.class,
                    each.name(),
                    field,
                    field(along.keys()),
                    along.width(),
                    Java.shared(((Type.Shared) each.type()).of()));
        } else if (each.layout() instanceof Layout.Ragged ragged && ragged.set() < 0) {
            return CodeBlock.of(
                    "$T.ragged($S, $N, $N,$W$T::allocate)",
                    Concatenation.class,
                    each.name(),
                    field,
                    field(ragged.counts()),
                    Java.shared(((Type.Shared) each.type()).of()));
        } else if (each.layout() instanceof Layout.Ragged ragged) {
            return CodeBlock.of(
                    "routing.mergeRagged($S, $L, $N, $N,$W$T::allocate)",
                    each.name(),
                    constants.keys(ragged.set()),
                    field(ragged.counts()),
                    field,
                    Java.shared(((Type.Shared) each.type()).of()));
        } else if (each.layout() instanceof Layout.ElementsAlongKeys) {
            return CodeBlock.of("$T.copyOf($N)", List.class, field);
        } else if (each.type() instanceof Type.ListOf) {
            return CodeBlock.of("$T.of($N)", Concatenation.class, field);
        } else if (each.type() instanceof Type.MapOf && !(each.layout() instanceof Layout.Reduced)) {
            return CodeBlock.of("$T.union($S, $N)", Concatenation.class, each.name(), field);
        } else if (!(each.layout() instanceof Layout.Reduced)) {
            return CodeBlock.of("$N", field);
        }
        Layout.Reduced reduced = (Layout.Reduced) each.layout();
        Reduction reduction = reduced.reduction();
        if (each.type() instanceof Type.MapOf) {
            return CodeBlock.of("$T.fold($T.$L, $N)", Folds.class, Reduction.class, reduction, field);
        } else if (each.type() instanceof Type.Shared shared) {
            CodeBlock parts = each.since() == 1
                    ? CodeBlock.of("$T.of($N)", List.class, field)
                    : CodeBlock.of("$T.stream($N).filter($T::nonNull).toList()", Arrays.class, field, Objects.class);
            return CodeBlock.of(
                    "$T.fold($T.$L, $S,$W$L,$W$T.allocate(0))",
                    Folds.class,
                    Reduction.class,
                    reduction,
                    each.name(),
                    parts,
                    Java.shared(shared.of()));
        }
        return switch ((Scalar) each.type()) {
            case BOOLEAN, DOUBLE -> fold(reduction, field, CodeBlock.of(""));
            case FLOAT -> CodeBlock.of("(float) $L", fold(reduction, field, CodeBlock.of("")));
            case BYTE -> CodeBlock.of("(byte) $L", fold(reduction, field, bounds(Byte.class)));
            case SHORT -> CodeBlock.of("(short) $L", fold(reduction, field, bounds(Short.class)));
            case INT -> CodeBlock.of("(int) $L", fold(reduction, field, bounds(Integer.class)));
            default -> fold(reduction, field, bounds(Long.class));
        };
    }

    private static CodeBlock fold(Reduction reduction, String field, CodeBlock bounds) {
        return CodeBlock.of("$T.fold($T.$L, $N$L)", Folds.class, Reduction.class, reduction, field, bounds);
    }

    private static CodeBlock bounds(Class<?> of) {
        return CodeBlock.of(", $T.MIN_VALUE, $T.MAX_VALUE", of, of);
    }
}

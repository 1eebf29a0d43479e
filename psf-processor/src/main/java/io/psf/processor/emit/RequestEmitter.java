package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleWriter;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Generates the methods of {@code XPsf.Codec} that split a request: its tensors, its partition, and its parts. */
final class RequestEmitter {
    private final FunctionModel model;
    private final TypeName request;
    private final ValueEmitter values;
    private final List<ComponentRoute> routes;

    RequestEmitter(FunctionModel model, Constants constants, ValueEmitter values) {
        this.model = model;
        this.request = Java.name(model.requestType());
        this.values = values;
        this.routes = model.request().stream()
                .map(each -> componentRoute(each, model, constants))
                .toList();
    }

    /** Returns the partition of a component's layout. */
    private static ComponentRoute componentRoute(Component each, FunctionModel model, Constants constants) {
        Layout layout = each.layout();
        if (layout instanceof Layout.ByKey byKey) {
            return new KeysRoute(each, byKey, constants);
        } else if (layout instanceof Layout.ElementsByKey elements) {
            return new ElementsRoute(each, elements, constants);
        } else if (layout instanceof Layout.ByRange byRange) {
            return new RangeRoute(new RoutedArray(each, constants), byRange);
        } else if (layout instanceof Layout.AlongKeys along) {
            int since = model.request().stream()
                    .filter(other -> other.layout().keySet() == along.set())
                    .mapToInt(Component::since)
                    .findFirst()
                    .orElse(1);
            return new AlongRoute(new RoutedArray(each, constants), along, since);
        } else if (layout instanceof Layout.Ragged ragged) {
            int since = model.request().get(ragged.index()).since();
            return new RaggedRoute(new RoutedArray(each, constants), ragged, since);
        }
        return new WholeRoute(each);
    }

    List<MethodSpec> methods() {
        List<MethodSpec> methods = new ArrayList<>();
        if (model.place() == Place.SHARD) {
            methods.add(target());
            others(methods);
            route(methods);
        }
        model.owner()
                .ifPresent(key -> methods.add(Java.override("ownerKey")
                        .returns(OptionalLong.class)
                        .addParameter(request, "request")
                        .addStatement("return $T.of(request.$N())", OptionalLong.class, key.name())
                        .build()));
        methods.add(write());
        return methods;
    }

    private MethodSpec target() {
        String name = model.request().stream()
                .filter(component -> component.layout() instanceof Layout.Target)
                .map(Component::name)
                .findFirst()
                .orElseThrow();
        return Java.override("target")
                .returns(TensorId.class)
                .addParameter(request, "request")
                .addStatement("return request.$N()", name)
                .build();
    }

    /** Adds the method that returns the other tensors whose keys the request has. */
    private void others(List<MethodSpec> methods) {
        List<CodeBlock> others = model.request().stream()
                .map(each -> each.layout().of())
                .filter(of -> !of.isEmpty())
                .map(of -> CodeBlock.of("request.$N()", of))
                .toList();
        if (!others.isEmpty()) {
            methods.add(Java.override("others")
                    .returns(ParameterizedTypeName.get(List.class, TensorId.class))
                    .addParameter(request, "request")
                    .addStatement("return $T.of($L)", List.class, CodeBlock.join(others, ", "))
                    .build());
        }
    }

    /** Adds the method that describes the request to the routing. */
    private void route(List<MethodSpec> methods) {
        CodeBlock.Builder body = CodeBlock.builder();
        for (ComponentRoute.Turn turn : ComponentRoute.Turn.values()) {
            routes.stream().filter(each -> each.turn() == turn).forEach(each -> body.add(each.route()));
        }
        laterKeys(body);
        boolean keys = model.request().stream().anyMatch(each -> each.layout().keySet() >= 0);
        if (keys && model.response().stream().anyMatch(each -> each.layout() instanceof Layout.ByRange)) {
            body.addStatement("routing.everySlice()");
        }
        CodeBlock statements = body.build();
        if (!statements.isEmpty()) {
            methods.add(Java.override("route")
                    .addParameter(request, "request")
                    .addParameter(Routing.class, "routing")
                    .addCode(statements)
                    .build());
        }
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
        MethodSpec.Builder write = Java.override("write")
                .addParameter(request, "request")
                .addParameter(Routing.class, "routing")
                .addParameter(int.class, "part")
                .addParameter(TupleWriter.class, "out");
        routes.forEach(each -> write.addCode(each.write(values)));
        return write.addCode(ValueEmitter.sections("out", model.request(), model.version()))
                .build();
    }
}

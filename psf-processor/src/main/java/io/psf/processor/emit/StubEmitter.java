package io.psf.processor.emit;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.psf.api.Pending;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.FunctionCaller;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import java.io.Serializable;
import java.time.Duration;
import javax.lang.model.element.Modifier;

/** Generates {@code XPsf.Stub}, with which a caller calls the function. */
final class StubEmitter {
    private static final ClassName STUB = ClassName.bestGuess("Stub");

    private final FunctionModel model;
    private final boolean skeleton;
    private final TypeName response;
    private final StubDoc docs;

    StubEmitter(FunctionModel model, boolean skeleton) {
        this.model = model;
        this.skeleton = skeleton;
        this.response = Java.name(model.responseType());
        this.docs = new StubDoc(model);
    }

    /** Returns the body of a method that cannot be generated. */
    static CodeBlock refusal(TypeName type) {
        return CodeBlock.of(
                "throw new $T($S)", UnsupportedOperationException.class, type + " did not compile; see its errors");
    }

    TypeSpec stub() {
        ClassName type = Java.name(model.type());
        TypeSpec.Builder stub = TypeSpec.classBuilder("Stub")
                .addJavadoc("Calls {@link $T}. Stateless and thread-safe. Serializable if its caller is.\n", type)
                .addModifiers(Modifier.PUBLIC, Modifier.STATIC, Modifier.FINAL)
                .addSuperinterface(Serializable.class)
                .addField(FieldSpec.builder(
                                long.class, "serialVersionUID", Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
                        .initializer("1")
                        .build())
                .addField(FieldSpec.builder(FunctionCaller.class, "caller", Modifier.PRIVATE, Modifier.FINAL)
                        .addAnnotation(AnnotationSpec.builder(SuppressWarnings.class)
                                .addMember("value", "$S", "serial") // its class may be Serializable
                                .build())
                        .build())
                .addField(CallOptions.class, "options", Modifier.PRIVATE, Modifier.FINAL)
                .addMethod(MethodSpec.constructorBuilder()
                        .addModifiers(Modifier.PRIVATE)
                        .addParameter(FunctionCaller.class, "caller")
                        .addParameter(CallOptions.class, "options")
                        .addStatement("this.caller = caller")
                        .addStatement("this.options = options")
                        .build())
                .addMethod(call(Integer.MAX_VALUE, false));
        if (model.fills()) {
            stub.addMethod(call(Integer.MAX_VALUE, true));
        }
        for (int version : model.olderCalls()) {
            stub.addMethod(call(version, false));
            if (model.fills() && !isTaken(version)) {
                stub.addMethod(call(version, true));
            }
        }
        return stub.addMethod(MethodSpec.methodBuilder("withDeadline")
                        .addJavadoc(
                                "Returns a stub with a deadline. A call without an answer in time fails with {@code TIMED_OUT}.\n")
                        .addModifiers(Modifier.PUBLIC)
                        .returns(STUB)
                        .addParameter(Duration.class, "deadline")
                        .addStatement("return new $T(caller, options.withDeadline(deadline))", STUB)
                        .build())
                .addMethod(MethodSpec.methodBuilder("withPriority")
                        .addJavadoc(
                                "Returns a stub with a priority. A server runs calls of a higher priority first.\n\n"
                                        + (model.ordered()
                                                ? "<p>The priority does not change the order of a worker's calls on a shard.\n\n"
                                                : "<p>Calls of this function have no order.\n\n")
                                        + "@param priority from -128 to 127; 0 by default\n")
                        .addModifiers(Modifier.PUBLIC)
                        .returns(STUB)
                        .addParameter(int.class, "priority")
                        .addStatement("return new $T(caller, options.withPriority(priority))", STUB)
                        .build())
                .build();
    }

    /**
     * True if the filling call of a version would have the same signature as another version's call. Such a function is
     * refused, so this occurs only in a skeleton.
     */
    private boolean isTaken(int version) {
        int n = model.request(version).size();
        return n < model.request().size()
                && Java.type(model.request().get(n).type()).toString().equals(response.toString())
                && (n + 1 == model.request().size()
                        || model.request().get(n + 1).since()
                                > model.request().get(n).since());
    }

    /** Returns the call of a version. Components added in later versions are sent as their defaults. */
    private MethodSpec call(int version, boolean filling) {
        MethodSpec.Builder call = MethodSpec.methodBuilder("call")
                .addModifiers(Modifier.PUBLIC)
                .addJavadoc(docs.of(version, filling ? into() : ""))
                .returns(ParameterizedTypeName.get(ClassName.get(Pending.class), response));
        for (Component component : model.request(version)) {
            call.addParameter(Java.parameter(component.type()), component.name());
        }
        if (filling) {
            call.addParameter(response, into());
        }
        if (skeleton) {
            return call.addStatement(refusal(Java.name(model.type()))).build();
        }
        CodeBlock arguments = model.request().stream()
                .map(each -> each.since() <= version ? CodeBlock.of("$N", each.name()) : DefaultValues.of(each.type()))
                .collect(CodeBlock.joining(",$W"));
        return call.addStatement(
                        "return this.caller.call($L,$Wnew $T($L),$W$L, this.options)",
                        function(),
                        Java.name(model.requestType()),
                        arguments,
                        filling ? into() : "null")
                .build();
    }

    /** Returns the reference to the constant {@code FUNCTION}, which a component of the request may hide. */
    private CodeBlock function() {
        return isComponent("FUNCTION")
                ? CodeBlock.of("$T.FUNCTION", Java.name(model.generated()))
                : CodeBlock.of("FUNCTION");
    }

    private boolean isComponent(String name) {
        return model.request().stream().anyMatch(component -> component.name().equals(name));
    }

    /** Returns the parameter name of the response to be filled, which differs from every component of the request. */
    private String into() {
        String name = "into";
        while (isComponent(name)) {
            name += "_";
        }
        return name;
    }
}

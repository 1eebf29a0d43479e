package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Type;
import java.time.Duration;
import javax.lang.model.element.Modifier;

/** Writes {@code XPsf.Stub}: how a worker calls the function. */
final class StubEmitter {
    private static final ClassName STUB = ClassName.bestGuess("Stub");

    private final FunctionModel model;
    private final boolean skeleton;
    private final TypeName response;
    private final ValueEmitter values = new ValueEmitter();

    StubEmitter(FunctionModel model, boolean skeleton) {
        this.model = model;
        this.skeleton = skeleton;
        this.response = Java.name(model.responseType());
    }

    /** The body of what cannot be generated. */
    static CodeBlock refusal(TypeName type) {
        return CodeBlock.of(
                "throw new $T($S)", UnsupportedOperationException.class, type + " did not compile; see its errors");
    }

    TypeSpec stub() {
        ClassName type = Java.name(model.type());
        TypeSpec.Builder stub = TypeSpec.classBuilder("Stub")
                .addJavadoc("Calls {@link $T}; stateless and thread-safe.\n", type)
                .addModifiers(Modifier.PUBLIC, Modifier.STATIC, Modifier.FINAL)
                .addField(Caller.class, "caller", Modifier.PRIVATE, Modifier.FINAL)
                .addField(CallOptions.class, "options", Modifier.PRIVATE, Modifier.FINAL)
                .addMethod(MethodSpec.constructorBuilder()
                        .addModifiers(Modifier.PRIVATE)
                        .addParameter(Caller.class, "caller")
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
                        .addJavadoc("The same stub whose calls fail with {@code TIMED_OUT} if not answered in time.\n")
                        .addModifiers(Modifier.PUBLIC)
                        .returns(STUB)
                        .addParameter(Duration.class, "deadline")
                        .addStatement("return new $T(caller, options.withDeadline(deadline))", STUB)
                        .build())
                .addMethod(MethodSpec.methodBuilder("withPriority")
                        .addJavadoc(
                                "The same stub whose calls are run before those of a lower priority, of which 0 is the"
                                        + " usual one.\n\n"
                                        + "<p>What one worker sends to one shard keeps its order all the same.\n\n"
                                        + "@param priority from -128 to 127\n")
                        .addModifiers(Modifier.PUBLIC)
                        .returns(STUB)
                        .addParameter(int.class, "priority")
                        .addStatement("return new $T(caller, options.withPriority(priority))", STUB)
                        .build())
                .build();
    }

    /** Whether a call that fills a response has the signature of another version's call, which is refused: in a skeleton. */
    private boolean isTaken(int version) {
        int n = model.request(version).size();
        return n < model.request().size()
                && Java.type(model.request().get(n).type()).toString().equals(response.toString())
                && (n + 1 == model.request().size()
                        || model.request().get(n + 1).since()
                                > model.request().get(n).since());
    }

    /** The call of a version; what came later is sent as one who does not know it would. */
    private MethodSpec call(int version, boolean filling) {
        MethodSpec.Builder call = MethodSpec.methodBuilder("call")
                .addModifiers(Modifier.PUBLIC)
                .addJavadoc(doc(version, filling))
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
                .map(each -> each.since() <= version ? CodeBlock.of("$N", each.name()) : values.empty(each.type()))
                .collect(CodeBlock.joining(", "));
        return call.addStatement(
                        "return this.caller.call(FUNCTION, new $T($L), $L, this.options)",
                        Java.name(model.requestType()),
                        arguments,
                        filling ? into() : "null")
                .build();
    }

    /** The name of the response to be filled, which no component of the request has. */
    private String into() {
        boolean taken =
                model.request().stream().anyMatch(component -> component.name().equals("into"));
        return taken ? "into_" : "into";
    }

    private CodeBlock doc(int version, boolean filling) {
        CodeBlock.Builder doc = CodeBlock.builder();
        doc.add("$L\n", model.doc().isEmpty() ? "Calls the function." : model.doc());
        if (version != Integer.MAX_VALUE) {
            doc.add("\n<p>As in version $L: what came later is empty.\n", version);
        }
        if (filling) {
            doc.add("\n<p>Fills the laid-out arrays of the response given; its other components are not read.\n");
        }
        doc.add("\n");
        for (Component component : model.request(version)) {
            add(doc, component.name(), component, false);
        }
        for (Component component : model.response()) {
            if (filling && component.layout().isLaidOut()) {
                add(doc, into(), component, true);
            }
        }
        return doc.build();
    }

    private void add(CodeBlock.Builder doc, String param, Component component, boolean out) {
        String text = component.doc().isEmpty() ? shape(component, out) : component.doc();
        if (text.isEmpty()) {
            return;
        }
        String name = out ? "{@code " + component.name() + "}: " : "";
        doc.add("@param $L $L$L\n", param, name, text);
    }

    private String shape(Component component, boolean out) {
        if (component.layout() instanceof Layout.Target) {
            return "the tensor on whose shards the function runs";
        }
        if (component.layout() instanceof Layout.Owner) {
            return "the key whose owner among the servers runs the function";
        }
        if (!(component.type() instanceof Type.Shared shared)) {
            return "";
        }
        String borrowed = "; borrowed until await returns";
        String words = shared.of().words();
        if (component.layout() instanceof Layout.Ranged ranged) {
            return "[rows, " + width(ranged.width()) + "] " + words + ", row-aligned with the tensor" + borrowed;
        } else if (component.layout() instanceof Layout.Keyed keyed) {
            String folded = keyed.combine() == Reduction.NONE
                    ? "in any order"
                    : "in any order, duplicates folded with " + keyed.combine();
            return "[n] " + words + ", global keys " + folded + borrowed;
        } else if (component.layout() instanceof Layout.Beside beside) {
            return "[n, " + width(beside.width()) + "] " + words + ", row i belongs to {@code " + beside.keys() + "[i]}"
                    + borrowed;
        }
        if (component.layout() instanceof Layout.Uneven uneven) {
            return "[sum of counts] " + words + ", row i has {@code " + uneven.counts() + "[i]} elements" + borrowed;
        }
        return out
                ? ""
                : "[n] " + words + ", goes whole to every " + (model.place() == Place.SHARD ? "slice" : "node")
                        + borrowed;
    }

    private static String width(int width) {
        return width == 0 ? "width" : String.valueOf(width);
    }
}

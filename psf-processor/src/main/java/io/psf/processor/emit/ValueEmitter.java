package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.processor.model.ClassRef;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Modifier;

/** Writes how one value goes into a tuple's block and comes out of it, with a pair of methods for each nested record. */
final class ValueEmitter {
    private static final int WIDE = 3;

    private final Map<String, MethodSpec> methods = new LinkedHashMap<>();
    private final Map<ClassRef, String> names = new LinkedHashMap<>();

    /** The methods that the values written and read so far need. */
    List<MethodSpec> methods() {
        return List.copyOf(methods.values());
    }

    /** The statements that write a value. */
    CodeBlock statement(Type type, CodeBlock value) {
        if (type instanceof Type.Maybe maybe) {
            return CodeBlock.builder()
                    .addStatement("out.bool($L != null)", value)
                    .beginControlFlow("if ($L != null)", value)
                    .addStatement(write(maybe.of(), value))
                    .endControlFlow()
                    .build();
        }
        return CodeBlock.builder().addStatement(write(type, value)).build();
    }

    private CodeBlock write(Type type, CodeBlock value) {
        if (type instanceof Scalar scalar) {
            return CodeBlock.of("out.$L($L)", scalar.method(), value);
        } else if (type instanceof Type.Enumeration) {
            return CodeBlock.of("out.enumeration($L)", value);
        } else if (type instanceof Type.Copied copied) {
            return CodeBlock.of("out.$L($L)", copied.of().copiedMethod(), value);
        } else if (type instanceof Type.Shared) {
            return CodeBlock.of("out.array($L)", value);
        } else if (type instanceof Type.Many many) {
            return CodeBlock.of("$L($L, out)", writerOfMany(many), value);
        }
        return CodeBlock.of("$L($L, out)", writerOf((Type.Tuple) type), value);
    }

    /** Reads a component of a tuple; what an older peer did not send is empty. */
    CodeBlock read(Component component) {
        if (component.layout() instanceof Layout.Target) {
            return CodeBlock.of("in.target()");
        }
        CodeBlock read = component.layout().of().isEmpty() ? read(component.type()) : readStamped(component.type());
        return component.since() == 1
                ? read
                : CodeBlock.of(
                        component.type() instanceof Type.Maybe ? "in.has($L) ? ($L) : $L" : "in.has($L) ? $L : $L",
                        component.since(),
                        read,
                        empty(component.type()));
    }

    CodeBlock read(Type type) {
        if (type instanceof Scalar scalar) {
            return CodeBlock.of("in.$L()", scalar.method());
        } else if (type instanceof Type.Enumeration) {
            return CodeBlock.of("in.enumeration($T.values())", Java.type(type));
        } else if (type instanceof Type.Copied copied) {
            return CodeBlock.of("in.$L()", copied.of().copiedMethod());
        } else if (type instanceof Type.Shared shared) {
            return CodeBlock.of("in.$L()", shared.of().sharedMethod());
        } else if (type instanceof Type.Many many) {
            return CodeBlock.of("$L(in)", readerOfMany(many));
        } else if (type instanceof Type.Maybe maybe) {
            return CodeBlock.of("in.bool() ? $L : null", read(maybe.of()));
        }
        return CodeBlock.of("$L(in)", readerOf((Type.Tuple) type));
    }

    /** Reads keys of another tensor, an array or a list of elements, after the stamp of the layout they are grouped by. */
    private CodeBlock readStamped(Type type) {
        return type instanceof Type.Many many
                ? CodeBlock.of("$L(in.stamped())", readerOfMany(many))
                : CodeBlock.of("in.stamped().$L()", ((Type.Shared) type).of().sharedMethod());
    }

    /** The call of a record's constructor, on lines of their own if there are several arguments. */
    CodeBlock construct(TypeName type, List<CodeBlock> arguments) {
        boolean wide = arguments.size() > WIDE;
        CodeBlock joined = CodeBlock.join(arguments, wide ? ",\n" : ", ");
        return wide ? CodeBlock.of("new $T(\n$L)", type, joined) : CodeBlock.of("new $T($L)", type, joined);
    }

    /** What stands for what an older peer does not send. */
    CodeBlock empty(Type type) {
        if (type instanceof Scalar scalar) {
            return switch (scalar) {
                case BOOLEAN -> CodeBlock.of("false");
                case BYTE -> CodeBlock.of("(byte) 0");
                case SHORT -> CodeBlock.of("(short) 0");
                case INT -> CodeBlock.of("0");
                case LONG -> CodeBlock.of("0L");
                case FLOAT -> CodeBlock.of("0f");
                case DOUBLE -> CodeBlock.of("0d");
                case STRING -> CodeBlock.of("$S", "");
                case TENSOR -> throw new IllegalArgumentException("Since on a TensorId (expected: refused when read)");
            };
        } else if (type instanceof Type.Enumeration) {
            return CodeBlock.of("$T.values()[0]", Java.type(type));
        } else if (type instanceof Type.Copied copied) {
            return CodeBlock.of("new $T[0]", Java.primitive(copied.of()));
        } else if (type instanceof Type.Shared shared) {
            return CodeBlock.of("$T.allocate(0)", Java.shared(shared.of()));
        } else if (type instanceof Type.Many) {
            return CodeBlock.of("$T.of()", List.class);
        } else if (type instanceof Type.Maybe) {
            return CodeBlock.of("null");
        }
        Type.Tuple tuple = (Type.Tuple) type;
        return construct(
                Java.type(tuple),
                tuple.parts().stream().map(part -> empty(part.type())).toList());
    }

    private String writerOf(Type.Tuple tuple) {
        String method = "write" + suffix(tuple.name());
        if (!methods.containsKey(method)) {
            MethodSpec.Builder writer =
                    helper(method).addParameter(Java.type(tuple), "value").addParameter(TupleWriter.class, "out");
            for (Type.Part part : tuple.parts()) {
                writer.addCode(statement(part.type(), CodeBlock.of("value.$N()", part.name())));
            }
            methods.put(method, writer.build());
        }
        return method;
    }

    private String readerOf(Type.Tuple tuple) {
        String method = "read" + suffix(tuple.name());
        if (!methods.containsKey(method)) {
            List<CodeBlock> parts =
                    tuple.parts().stream().map(part -> read(part.type())).toList();
            methods.put(
                    method,
                    helper(method)
                            .returns(Java.type(tuple))
                            .addParameter(TupleReader.class, "in")
                            .addStatement("return $L", construct(Java.type(tuple), parts))
                            .build());
        }
        return method;
    }

    private String writerOfMany(Type.Many many) {
        String method = "writeListOf" + suffix(many.of().name());
        if (!methods.containsKey(method)) {
            methods.put(
                    method,
                    helper(method)
                            .addParameter(Java.type(many), "values")
                            .addParameter(TupleWriter.class, "out")
                            .addStatement("out.count(values.size())")
                            .beginControlFlow("for ($T value : values)", Java.type(many.of()))
                            .addStatement("$L(value, out)", writerOf(many.of()))
                            .endControlFlow()
                            .build());
        }
        return method;
    }

    private String readerOfMany(Type.Many many) {
        String method = "readListOf" + suffix(many.of().name());
        if (!methods.containsKey(method)) {
            TypeName list = ParameterizedTypeName.get(ClassName.get(ArrayList.class), Java.type(many.of()));
            methods.put(
                    method,
                    helper(method)
                            .returns(Java.type(many))
                            .addParameter(TupleReader.class, "in")
                            .addStatement("int n = in.count($L)", many.of().leastBytes())
                            .addStatement("$T values = new $T<>(n)", list, ArrayList.class)
                            .beginControlFlow("for (int i = 0; i < n; i++)")
                            .addStatement("values.add($L(in))", readerOf(many.of()))
                            .endControlFlow()
                            .addStatement("return $T.copyOf(values)", List.class)
                            .build());
        }
        return method;
    }

    private static MethodSpec.Builder helper(String name) {
        return MethodSpec.methodBuilder(name).addModifiers(Modifier.PRIVATE, Modifier.STATIC);
    }

    /** The record's simple name, and a number behind it if another record has the same. */
    private String suffix(ClassRef name) {
        return names.computeIfAbsent(name, each -> {
            long same = names.keySet().stream()
                    .filter(other -> other.simpleName().equals(each.simpleName()))
                    .count();
            return same == 0 ? each.simpleName() : each.simpleName() + (same + 1);
        });
    }
}

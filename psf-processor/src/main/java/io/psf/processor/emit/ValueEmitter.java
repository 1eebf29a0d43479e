package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Modifier;

/**
 * Generates the code that writes a value to a tuple's block and reads it, with a pair of methods for each nested
 * record.
 */
final class ValueEmitter {
    private final Map<String, MethodSpec> methods = new LinkedHashMap<>();
    private final Map<String, String> names = new LinkedHashMap<>();
    private final Constants constants;

    ValueEmitter(Constants constants) {
        this.constants = constants;
    }

    /** Returns the methods that the values written and read so far require. */
    List<MethodSpec> methods() {
        return List.copyOf(methods.values());
    }

    /** Returns the statements that write a component of a tuple. */
    CodeBlock statement(Component component, CodeBlock value) {
        return statement(component.type(), value, CodeBlock.of("out"), component.since());
    }

    /**
     * Returns the statements that write a value.
     *
     * @param out the writer: that of the tuple, or that of a section
     * @param base the version that added the value
     */
    private CodeBlock statement(Type type, CodeBlock value, CodeBlock out, int base) {
        if (type instanceof Type.Nullable nullable) {
            return CodeBlock.builder()
                    .addStatement("$L.bool($L != null)", out, value)
                    .beginControlFlow("if ($L != null)", value)
                    .addStatement(write(nullable.of(), value, out, base))
                    .endControlFlow()
                    .build();
        }
        return CodeBlock.builder().addStatement(write(type, value, out, base)).build();
    }

    private CodeBlock write(Type type, CodeBlock value, CodeBlock out, int base) {
        if (type instanceof Scalar scalar) {
            return CodeBlock.of("$L.$L($L)", out, TupleMethods.of(scalar), value);
        } else if (type instanceof Type.Enumeration) {
            return CodeBlock.of("$L.enumeration($L)", out, value);
        } else if (type instanceof Type.Copied copied) {
            return CodeBlock.of("$L.$L($L)", out, TupleMethods.ofCopied(copied.of()), value);
        } else if (type instanceof Type.Flags) {
            return CodeBlock.of("$L.booleans($L)", out, value);
        } else if (type instanceof Type.Shared) {
            return CodeBlock.of("$L.array($L)", out, value);
        } else if (type instanceof Type.ListOf list) {
            return CodeBlock.of("$L($L, $L)", writerOfList(list, base), value, out);
        } else if (type instanceof Type.MapOf map) {
            return CodeBlock.of("$L($L, $L)", writerOfMap(map), value, out);
        }
        return CodeBlock.of("$L($L, $L)", writerOf((Type.Tuple) type, base), value, out);
    }

    /**
     * Returns the expression that reads a component of a tuple. The component is empty if an older peer did not send
     * it.
     */
    CodeBlock read(Component component) {
        if (component.layout() instanceof Layout.Target) {
            return CodeBlock.of("in.target()");
        }
        CodeBlock read = component.layout().of().isEmpty()
                ? read(component.type(), component.since())
                : readStamped(component.type(), component.since());
        return component.since() == 1 ? read : orEmpty(component.since(), component.type(), read);
    }

    /** Returns the expression for a value, or for its default if the peer is too old to send it. */
    private CodeBlock orEmpty(int since, Type type, CodeBlock read) {
        return CodeBlock.of(
                type instanceof Type.Nullable ? "in.has($L)$W? ($L)$W: $L" : "in.has($L)$W? $L$W: $L",
                since,
                read,
                Defaults.of(type));
    }

    /**
     * Returns the expression that reads a value.
     *
     * @param base the version that added the value
     */
    CodeBlock read(Type type, int base) {
        return read(type, CodeBlock.of("in"), base);
    }

    private CodeBlock read(Type type, CodeBlock in, int base) {
        if (type instanceof Scalar scalar) {
            return CodeBlock.of("$L.$L()", in, TupleMethods.of(scalar));
        } else if (type instanceof Type.Enumeration enumeration) {
            return enumeration.unknown().isEmpty()
                    ? CodeBlock.of("$L.enumeration($L)", in, constants.values(enumeration))
                    : CodeBlock.of(
                            "$L.enumeration($L, $T.$L)",
                            in,
                            constants.values(enumeration),
                            Java.type(type),
                            enumeration.unknown().get());
        } else if (type instanceof Type.Copied copied) {
            return CodeBlock.of("$L.$L()", in, TupleMethods.ofCopied(copied.of()));
        } else if (type instanceof Type.Flags) {
            return CodeBlock.of("$L.booleans()", in);
        } else if (type instanceof Type.Shared shared) {
            return CodeBlock.of("$L.$L()", in, TupleMethods.ofShared(shared.of()));
        } else if (type instanceof Type.ListOf list) {
            return CodeBlock.of("$L($L)", readerOfList(list, base), in);
        } else if (type instanceof Type.MapOf map) {
            return CodeBlock.of("$L($L)", readerOfMap(map), in);
        } else if (type instanceof Type.Nullable nullable) {
            return CodeBlock.of("$L.bool() ? $L : null", in, read(nullable.of(), in, base));
        }
        return CodeBlock.of("$L($L)", readerOf((Type.Tuple) type, base), in);
    }

    /**
     * Returns the statement that ends the writing of a tuple or begins its reading; empty unless a nested record has
     * components of later versions.
     *
     * @param stream the tuple's writer or reader
     */
    static CodeBlock sections(String stream, List<Component> tuple, int version) {
        CodeBlock.Builder sections = CodeBlock.builder();
        FunctionModel.firstSection(tuple)
                .ifPresent(first -> sections.addStatement("$L.sections($L, $L)", stream, first, version));
        return sections.build();
    }

    /**
     * Returns the expression that reads keys of another tensor, an array or a list of elements, after the stamp of the
     * layout by which they are grouped.
     */
    private CodeBlock readStamped(Type type, int base) {
        return type instanceof Type.ListOf list
                ? CodeBlock.of("$L(in.stamped())", readerOfList(list, base))
                : CodeBlock.of("in.stamped().$L()", TupleMethods.ofShared(((Type.Shared) type).of()));
    }

    private String writerOf(Type.Tuple tuple, int base) {
        String method = "write" + suffix(tuple, base);
        if (!methods.containsKey(method)) {
            MethodSpec.Builder writer =
                    helper(method).addParameter(Java.type(tuple), "value").addParameter(TupleWriter.class, "out");
            for (Type.Part part : tuple.parts()) {
                writer.addCode(statement(
                        part.type(),
                        CodeBlock.of("value.$N()", part.name()),
                        stream("out", part, base),
                        Math.max(base, part.since())));
            }
            methods.put(method, writer.build());
        }
        return method;
    }

    /**
     * Returns the stream of a component of a nested record: that of the record, or that of a later version's section.
     */
    private static CodeBlock stream(String name, Type.Part part, int base) {
        return part.isLater(base) ? CodeBlock.of("$L.since($L)", name, part.since()) : CodeBlock.of(name);
    }

    private String readerOf(Type.Tuple tuple, int base) {
        String method = "read" + suffix(tuple, base);
        if (!methods.containsKey(method)) {
            List<CodeBlock> parts =
                    tuple.parts().stream().map(part -> read(part, base)).toList();
            methods.put(
                    method,
                    helper(method)
                            .returns(Java.type(tuple))
                            .addParameter(TupleReader.class, "in")
                            .addStatement("return $L", Java.construct(Java.type(tuple), parts))
                            .build());
        }
        return method;
    }

    private CodeBlock read(Type.Part part, int base) {
        CodeBlock read = read(part.type(), stream("in", part, base), Math.max(base, part.since()));
        return part.isLater(base) ? orEmpty(part.since(), part.type(), read) : read;
    }

    private String writerOfList(Type.ListOf list, int base) {
        String method = "writeListOf" + suffix(list.of(), base);
        if (!methods.containsKey(method)) {
            methods.put(
                    method,
                    helper(method)
                            .addParameter(Java.type(list), "values")
                            .addParameter(TupleWriter.class, "out")
                            .addStatement("out.count(values.size())")
                            .beginControlFlow("for ($T value : values)", Java.type(list.of()))
                            .addCode(statement(list.of(), CodeBlock.of("value"), CodeBlock.of("out"), base))
                            .endControlFlow()
                            .build());
        }
        return method;
    }

    private String readerOfList(Type.ListOf list, int base) {
        String method = "readListOf" + suffix(list.of(), base);
        if (!methods.containsKey(method)) {
            TypeName arrayList = ParameterizedTypeName.get(
                    ClassName.get(ArrayList.class), Java.type(list.of()).box());
            methods.put(
                    method,
                    helper(method)
                            .returns(Java.type(list))
                            .addParameter(TupleReader.class, "in")
                            .addStatement("int n = in.count($L)", list.of().leastBytes())
                            .addStatement("$T values = new $T<>(n)", arrayList, ArrayList.class)
                            .beginControlFlow("for (int i = 0; i < n; i++)")
                            .addStatement("values.add($L)", read(list.of(), base))
                            .endControlFlow()
                            .addStatement("return $T.copyOf(values)", List.class)
                            .build());
        }
        return method;
    }

    private String writerOfMap(Type.MapOf map) {
        String method = "writeMapOf" + suffix(map.of(), 1);
        if (!methods.containsKey(method)) {
            TypeName entry = ParameterizedTypeName.get(
                    ClassName.get(Map.Entry.class),
                    ClassName.get(String.class),
                    Java.type(map.of()).box());
            methods.put(
                    method,
                    helper(method)
                            .addParameter(Java.type(map), "values")
                            .addParameter(TupleWriter.class, "out")
                            .addStatement("out.count(values.size())")
                            .beginControlFlow("for ($T entry : values.entrySet())", entry)
                            .addStatement("out.string(entry.getKey())")
                            .addCode(statement(map.of(), CodeBlock.of("entry.getValue()"), CodeBlock.of("out"), 1))
                            .endControlFlow()
                            .build());
        }
        return method;
    }

    private String readerOfMap(Type.MapOf map) {
        String method = "readMapOf" + suffix(map.of(), 1);
        if (!methods.containsKey(method)) {
            TypeName linkedMap = ParameterizedTypeName.get(
                    ClassName.get(LinkedHashMap.class),
                    ClassName.get(String.class),
                    Java.type(map.of()).box());
            methods.put(
                    method,
                    helper(method)
                            .returns(Java.type(map))
                            .addParameter(TupleReader.class, "in")
                            .addStatement(
                                    "int n = in.count($L)",
                                    Scalar.STRING.leastBytes() + map.of().leastBytes())
                            .addStatement("$T values = new $T<>()", linkedMap, LinkedHashMap.class)
                            .beginControlFlow("for (int i = 0; i < n; i++)")
                            .addStatement("$T.put(values, in.string(), $L)", TupleReader.class, read(map.of(), 1))
                            .endControlFlow()
                            .addStatement("return $T.unmodifiableMap(values)", Collections.class)
                            .build());
        }
        return method;
    }

    private static MethodSpec.Builder helper(String name) {
        return MethodSpec.methodBuilder(name).addModifiers(Modifier.PRIVATE, Modifier.STATIC);
    }

    /**
     * Returns the suffix of the names of a type's methods. It is the type's simple name. If some components are in
     * sections, the version up to which components are written in place follows. If another type has the same suffix, a
     * number follows.
     */
    private String suffix(Type type, int base) {
        TypeName name = Java.type(type).box();
        String simple = name instanceof ClassName of ? of.simpleName() : name.toString();
        int from = type.sections(1).filter(each -> each <= base).max().orElse(1);
        String wanted = simple + (from == 1 ? "" : "From" + from);
        return names.computeIfAbsent(name + " " + from, each -> {
            String unused = wanted;
            for (int i = 2; names.containsValue(unused); i++) {
                unused = wanted + i;
            }
            return unused;
        });
    }
}

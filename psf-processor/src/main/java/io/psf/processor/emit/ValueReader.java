package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.psf.api.spi.TupleReader;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * Generates the code that reads a value from a tuple's block.
 *
 * @param methods receives the methods for nested records, lists and maps
 * @param constants receives the arrays of the enums' constants
 */
record ValueReader(ValueMethods methods, Constants constants) {
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
                DefaultValues.of(type));
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
            return CodeBlock.of("$L.$L()", in, TupleMethods.ofShared(shared));
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
     * Returns the expression that reads keys of another tensor, an array or a list of elements, after the stamp of the
     * layout by which they are grouped.
     */
    private CodeBlock readStamped(Type type, int base) {
        return type instanceof Type.ListOf list
                ? CodeBlock.of("$L(in.stamped())", readerOfList(list, base))
                : CodeBlock.of("in.stamped().$L()", TupleMethods.ofShared((Type.Shared) type));
    }

    private String readerOf(Type.Tuple tuple, int base) {
        return methods.method("read", tuple, base, reader -> {
            List<CodeBlock> parts =
                    tuple.parts().stream().map(part -> read(part, base)).toList();
            return reader.returns(Java.type(tuple))
                    .addParameter(TupleReader.class, "in")
                    .addStatement("return $L", Java.construct(Java.type(tuple), parts));
        });
    }

    private CodeBlock read(Type.Part part, int base) {
        CodeBlock read = read(part.type(), ValueMethods.stream("in", part, base), Math.max(base, part.since()));
        return part.isLater(base) ? orEmpty(part.since(), part.type(), read) : read;
    }

    private String readerOfList(Type.ListOf list, int base) {
        TypeName arrayList = ParameterizedTypeName.get(
                ClassName.get(ArrayList.class), Java.type(list.of()).box());
        return methods.method(
                "readListOf",
                list.of(),
                base,
                reader -> reader.returns(Java.type(list))
                        .addParameter(TupleReader.class, "in")
                        .addStatement("int n = in.count($L)", list.of().leastBytes())
                        .addStatement("$T values = new $T<>(n)", arrayList, ArrayList.class)
                        .beginControlFlow("for (int i = 0; i < n; i++)")
                        .addStatement("values.add($L)", read(list.of(), base))
                        .endControlFlow()
                        .addStatement("return $T.copyOf(values)", List.class));
    }

    private String readerOfMap(Type.MapOf map) {
        TypeName linkedMap = ParameterizedTypeName.get(
                ClassName.get(LinkedHashMap.class),
                ClassName.get(String.class),
                Java.type(map.of()).box());
        return methods.method(
                "readMapOf",
                map.of(),
                1,
                reader -> reader.returns(Java.type(map))
                        .addParameter(TupleReader.class, "in")
                        .addStatement(
                                "int n = in.count($L)",
                                Scalar.STRING.leastBytes() + map.of().leastBytes())
                        .addStatement("$T values = new $T<>()", linkedMap, LinkedHashMap.class)
                        .beginControlFlow("for (int i = 0; i < n; i++)")
                        .addStatement("$T.put(values, in.string(), $L)", TupleReader.class, read(map.of(), 1))
                        .endControlFlow()
                        .addStatement("return $T.unmodifiableMap(values)", Collections.class));
    }
}

package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.psf.api.array.FloatType;
import io.psf.api.spi.TupleWriter;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.Map;

/**
 * Generates the code that writes a value to a tuple's block.
 *
 * @param methods receives the methods for nested records, lists and maps
 * @param rows the call that sets the width of an array's rows; empty for the tensor's
 */
record ValueWriter(ValueMethods methods, CodeBlock rows) {
    /** Returns a writer of an array whose rows have a width of their own; 0 if the width is not known. */
    ValueWriter ofRows(int width) {
        return new ValueWriter(methods, CodeBlock.of(".rowsOf($L)", width));
    }

    /**
     * Returns the statements that write a value.
     *
     * @param out the writer of the tuple, or of a section
     * @param base the version that added the value
     */
    CodeBlock statement(Type type, CodeBlock value, CodeBlock out, int base) {
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
        } else if (type instanceof Type.Shared shared) {
            return CodeBlock.of("$L.array($L)", formatted(shared, out, rows), value);
        } else if (type instanceof Type.ListOf list) {
            return CodeBlock.of("$L($L, $L)", writerOfList(list, base), value, out);
        } else if (type instanceof Type.MapOf map) {
            return CodeBlock.of("$L($L, $L)", writerOfMap(map), value, out);
        }
        return CodeBlock.of("$L($L, $L)", writerOf((Type.Tuple) type, base), value, out);
    }

    /** Returns the writer, which has been told the format of the next array. */
    static CodeBlock formatted(Type.Shared array, CodeBlock out) {
        return formatted(array, out, CodeBlock.of(""));
    }

    private static CodeBlock formatted(Type.Shared array, CodeBlock out, CodeBlock rows) {
        return switch (array.wire()) {
            case OWN -> out;
            case TENSOR -> CodeBlock.of("$L.asTensor()$L", out, rows);
            case INT8 -> CodeBlock.of("$L.as($T.INT8)$L", out, FloatType.class, rows);
            case FLOAT16, BFLOAT16 ->
                CodeBlock.of("$L.as($T.$L)", out, FloatType.class, array.wire().name());
        };
    }

    private String writerOf(Type.Tuple tuple, int base) {
        return methods.method("write", tuple, base, writer -> {
            writer.addParameter(Java.type(tuple), "value").addParameter(TupleWriter.class, "out");
            for (Type.Part part : tuple.parts()) {
                writer.addCode(statement(
                        part.type(),
                        CodeBlock.of("value.$N()", part.name()),
                        ValueMethods.stream("out", part, base),
                        Math.max(base, part.since())));
            }
            return writer;
        });
    }

    private String writerOfList(Type.ListOf list, int base) {
        return methods.method(
                "writeListOf",
                list.of(),
                base,
                writer -> writer.addParameter(Java.type(list), "values")
                        .addParameter(TupleWriter.class, "out")
                        .addStatement("out.count(values.size())")
                        .beginControlFlow("for ($T value : values)", Java.type(list.of()))
                        .addCode(statement(list.of(), CodeBlock.of("value"), CodeBlock.of("out"), base))
                        .endControlFlow());
    }

    private String writerOfMap(Type.MapOf map) {
        TypeName entry = ParameterizedTypeName.get(
                ClassName.get(Map.Entry.class),
                ClassName.get(String.class),
                Java.type(map.of()).box());
        return methods.method(
                "writeMapOf",
                map.of(),
                1,
                writer -> writer.addParameter(Java.type(map), "values")
                        .addParameter(TupleWriter.class, "out")
                        .addStatement("out.count(values.size())")
                        .beginControlFlow("for ($T entry : values.entrySet())", entry)
                        .addStatement("out.string(entry.getKey())")
                        .addCode(statement(map.of(), CodeBlock.of("entry.getValue()"), CodeBlock.of("out"), 1))
                        .endControlFlow());
    }
}

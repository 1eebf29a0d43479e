package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.List;
import java.util.Map;

/** Generates the default of a value that an older peer does not send. */
final class DefaultValues {
    private DefaultValues() {}

    /** Returns the expression for a type's default. */
    static CodeBlock of(Type type) {
        if (type instanceof Scalar scalar) {
            return of(scalar);
        } else if (type instanceof Type.Enumeration enumeration) {
            return CodeBlock.of(
                    "$T.$L", Java.type(type), enumeration.constants().get(0).name());
        } else if (type instanceof Type.Copied copied) {
            return CodeBlock.of("new $T[0]", Java.primitive(copied.of()));
        } else if (type instanceof Type.Flags) {
            return CodeBlock.of("new boolean[0]");
        } else if (type instanceof Type.Shared shared) {
            return CodeBlock.of("$T.allocate(0)", Java.shared(shared.of()));
        } else if (type instanceof Type.ListOf) {
            return CodeBlock.of("$T.of()", List.class);
        } else if (type instanceof Type.MapOf) {
            return CodeBlock.of("$T.of()", Map.class);
        } else if (type instanceof Type.Nullable) {
            return CodeBlock.of("null");
        }
        Type.Tuple tuple = (Type.Tuple) type;
        return Java.construct(
                Java.type(tuple),
                tuple.parts().stream().map(part -> of(part.type())).toList());
    }

    private static CodeBlock of(Scalar scalar) {
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
    }
}

package io.psf.processor.emit;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.TypeName;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Folds;
import io.psf.processor.model.Component;
import io.psf.processor.model.Scalar;

/**
 * The merge of a scalar: the parts are stored, and folded in slice order.
 *
 * @param each the component
 * @param type the component's type
 * @param reduction the fold
 */
record ScalarMerge(Component each, Scalar type, Reduction reduction) implements ComponentMerge {
    @Override
    public TypeName fieldType() {
        return ArrayTypeName.of(accumulator());
    }

    /** Returns the type in which the scalar is folded. */
    private TypeName accumulator() {
        return switch (type) {
            case BOOLEAN -> TypeName.BOOLEAN;
            case FLOAT, DOUBLE -> TypeName.DOUBLE;
            default -> TypeName.LONG;
        };
    }

    @Override
    public CodeBlock initial() {
        return CodeBlock.of("new $T[routing.parts()]", accumulator());
    }

    @Override
    public CodeBlock add(CodeBlock read) {
        return CodeBlock.of("$N[part] = $L", ComponentMerge.field(each), read);
    }

    @Override
    public CodeBlock merged() {
        return switch (type) {
            case BOOLEAN, DOUBLE -> fold(CodeBlock.of(""));
            case FLOAT -> CodeBlock.of("(float) $L", fold(CodeBlock.of("")));
            case BYTE -> CodeBlock.of("(byte) $L", fold(bounds(Byte.class)));
            case SHORT -> CodeBlock.of("(short) $L", fold(bounds(Short.class)));
            case INT -> CodeBlock.of("(int) $L", fold(bounds(Integer.class)));
            default -> fold(bounds(Long.class));
        };
    }

    private CodeBlock fold(CodeBlock bounds) {
        return CodeBlock.of(
                "$T.fold($T.$L, $N$L)", Folds.class, Reduction.class, reduction, ComponentMerge.field(each), bounds);
    }

    private static CodeBlock bounds(Class<?> of) {
        return CodeBlock.of(", $T.MIN_VALUE, $T.MAX_VALUE", of, of);
    }
}

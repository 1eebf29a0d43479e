package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.TypeName;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import java.util.Optional;

/**
 * The merge of an array that is row-aligned with the tensor: each part is copied to the rows of its slice.
 *
 * @param each the component
 * @param layout the component's layout
 */
record RangeMerge(Component each, Layout.ByRange layout) implements ComponentMerge {
    @Override
    public TypeName fieldType() {
        return Java.type(each.type());
    }

    @Override
    public CodeBlock initial() {
        return target(each, CodeBlock.of("routing.rangeLength($L)", layout.width()));
    }

    /** Returns the expression for the array to be filled: the array of {@code into}, or a new array. */
    static CodeBlock target(Component each, CodeBlock length) {
        return CodeBlock.of(
                "into == null\n? $T.allocate($L)\n: routing.target($S, into.$N(), $L)",
                Java.type(each.type()),
                length,
                each.name(),
                each.name(),
                length);
    }

    @Override
    public CodeBlock add(CodeBlock read) {
        return CodeBlock.of(
                "routing.mergeRange($S, part,$W$L, $N,$W$L)",
                each.name(),
                read,
                ComponentMerge.field(each),
                layout.width());
    }

    @Override
    public Optional<CodeBlock> absent() {
        return Optional.of(
                CodeBlock.of("routing.clearRange(part, $N, $L)", ComponentMerge.field(each), layout.width()));
    }

    @Override
    public CodeBlock merged() {
        return CodeBlock.of("$N", ComponentMerge.field(each));
    }
}

package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.TypeName;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import java.util.Optional;

/**
 * The merge of rows along keys of the request: each row of a part is copied to the position of its key.
 *
 * @param each the component
 * @param layout the component's layout
 * @param keys the constant with the number of the key set
 */
record KeyRowsMerge(Component each, Layout.AlongKeys layout, String keys) implements ComponentMerge {
    @Override
    public TypeName fieldType() {
        return Java.type(each.type());
    }

    @Override
    public CodeBlock initial() {
        return RangeMerge.target(each, CodeBlock.of("routing.alongLength($L, $L)", keys, layout.width()));
    }

    @Override
    public CodeBlock add(CodeBlock read) {
        return CodeBlock.of(
                "routing.mergeAlong($S, part,$W$L, $L,$W$N, $L)",
                each.name(),
                keys,
                read,
                ComponentMerge.field(each),
                layout.width());
    }

    @Override
    public Optional<CodeBlock> absent() {
        return Optional.of(CodeBlock.of(
                "routing.clearAlong(part, $L,$W$N, $L)", keys, ComponentMerge.field(each), layout.width()));
    }

    @Override
    public CodeBlock merged() {
        return CodeBlock.of("$N", ComponentMerge.field(each));
    }
}

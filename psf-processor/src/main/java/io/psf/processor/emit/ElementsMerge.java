package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.TypeName;
import io.psf.processor.model.Component;
import io.psf.processor.model.Type;
import java.util.List;
import java.util.Optional;

/**
 * The merge of a list along keys of the request: each element of a part is set at the position of its key.
 *
 * @param each the component
 * @param keys the constant with the number of the key set
 */
record ElementsMerge(Component each, String keys) implements ComponentMerge {
    @Override
    public TypeName fieldType() {
        return Java.type(each.type());
    }

    @Override
    public CodeBlock initial() {
        return CodeBlock.of("routing.places($L)", keys);
    }

    @Override
    public CodeBlock add(CodeBlock read) {
        return CodeBlock.of(
                "routing.mergeElements($S, part,$W$L,$W$L,$W$N)", each.name(), keys, read, ComponentMerge.field(each));
    }

    @Override
    public Optional<CodeBlock> absent() {
        return Optional.of(CodeBlock.of(
                "routing.clearElements(part, $L,$W$L,$W$N)",
                keys,
                DefaultValues.of(((Type.ListOf) each.type()).of()),
                ComponentMerge.field(each)));
    }

    @Override
    public CodeBlock merged() {
        return CodeBlock.of("$T.copyOf($N)", List.class, ComponentMerge.field(each));
    }

    @Override
    public boolean isDecodedLate() {
        return true;
    }
}

package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Concatenation;
import io.psf.api.spi.Folds;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Type;
import java.util.List;

/**
 * The merge of lists and maps, which are stored by part: lists are concatenated, maps are united or folded by key.
 *
 * @param each the component
 */
record CollectionsMerge(Component each) implements ComponentMerge {
    @Override
    public TypeName fieldType() {
        return ParameterizedTypeName.get(ClassName.get(List.class), Java.type(each.type()));
    }

    @Override
    public CodeBlock initial() {
        return CodeBlock.of(
                "$T.$L(routing.parts())", Concatenation.class, each.type() instanceof Type.ListOf ? "lists" : "maps");
    }

    @Override
    public CodeBlock add(CodeBlock read) {
        return CodeBlock.of("$N.set(part, $L)", ComponentMerge.field(each), read);
    }

    @Override
    public CodeBlock merged() {
        String field = ComponentMerge.field(each);
        if (each.type() instanceof Type.ListOf) {
            return CodeBlock.of("$T.of($N)", Concatenation.class, field);
        } else if (each.layout() instanceof Layout.Reduced reduced) {
            return CodeBlock.of("$T.fold($T.$L, $N)", Folds.class, Reduction.class, reduced.reduction(), field);
        }
        return CodeBlock.of("$T.union($S, $N)", Concatenation.class, each.name(), field);
    }

    @Override
    public boolean isDecodedLate() {
        return true;
    }
}

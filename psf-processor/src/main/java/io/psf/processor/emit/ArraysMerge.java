package io.psf.processor.emit;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.TypeName;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Concatenation;
import io.psf.api.spi.Folds;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The merge of arrays whose lengths are not known in advance: they are stored by part, and concatenated or folded.
 *
 * @param each the component
 * @param type the component's type
 * @param constants the constants with the numbers of key sets
 */
record ArraysMerge(Component each, Type.Shared type, Constants constants) implements ComponentMerge {
    @Override
    public TypeName fieldType() {
        return ArrayTypeName.of(array());
    }

    private TypeName array() {
        return Java.shared(type.of());
    }

    @Override
    public CodeBlock initial() {
        return CodeBlock.of("new $T[routing.parts()]", array());
    }

    @Override
    public CodeBlock add(CodeBlock read) {
        return CodeBlock.of("$N[part] = $L.copy()", ComponentMerge.field(each), read);
    }

    @Override
    public CodeBlock merged() {
        String field = ComponentMerge.field(each);
        if (each.layout() instanceof Layout.ProducedKeys) {
            return CodeBlock.of("$T.of($N, $T::allocate)", Concatenation.class, field, array());
        } else if (each.layout() instanceof Layout.AlongProducedKeys along) {
            return CodeBlock.of(
                    "$T.along($S, $N, $N,$Wrouting.width($L),$W$T::allocate)",
                    Concatenation.class,
                    each.name(),
                    field,
                    ComponentMerge.field(along.keys()),
                    along.width(),
                    array());
        } else if (each.layout() instanceof Layout.Ragged ragged) {
            return ragged(ragged, field);
        } else if (each.layout() instanceof Layout.Reduced reduced) {
            return folded(reduced.reduction(), field);
        }
        return CodeBlock.of("$N", field);
    }

    private CodeBlock ragged(Layout.Ragged ragged, String field) {
        String counts = ComponentMerge.field(ragged.counts());
        return ragged.set() < 0
                ? CodeBlock.of(
                        "$T.ragged($S, $N, $N,$W$T::allocate)",
                        Concatenation.class,
                        each.name(),
                        field,
                        counts,
                        array())
                : CodeBlock.of(
                        "routing.mergeRagged($S, $L, $N, $N,$W$T::allocate)",
                        each.name(),
                        constants.keys(ragged.set()),
                        counts,
                        field,
                        array());
    }

    private CodeBlock folded(Reduction reduction, String field) {
        CodeBlock parts = each.since() == 1
                ? CodeBlock.of("$T.of($N)", List.class, field)
                : CodeBlock.of("$T.stream($N).filter($T::nonNull).toList()", Arrays.class, field, Objects.class);
        return CodeBlock.of(
                "$T.fold($T.$L, $S,$W$L,$W$T.allocate(0))",
                Folds.class,
                Reduction.class,
                reduction,
                each.name(),
                parts,
                array());
    }
}

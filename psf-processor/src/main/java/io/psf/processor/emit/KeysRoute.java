package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.api.layout.Reduction;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;

/**
 * The partition of an array of keys: each part gets the keys that its slice owns.
 *
 * @param each the component
 * @param layout the component's layout
 * @param constants has the number of the key set
 */
record KeysRoute(Component each, Layout.ByKey layout, Constants constants) implements ComponentRoute {
    @Override
    public Turn turn() {
        return Turn.KEYS;
    }

    @Override
    public CodeBlock route() {
        return CodeBlock.builder()
                .addStatement(
                        "routing.keys($L, $S,$Wrequest.$N(),$W$T.$L, $L$L)",
                        constants.keys(layout.set()),
                        each.name(),
                        each.name(),
                        Reduction.class,
                        layout.combine(),
                        layout.everySlice(),
                        layout.of().isEmpty() ? "" : CodeBlock.of(",$W$L", layoutOf(layout)))
                .build();
    }

    @Override
    public CodeBlock write(ValueEmitter values) {
        return CodeBlock.builder()
                .add(stamp(layout, constants))
                .addStatement("routing.writeKeys($L, part, out)", constants.keys(layout.set()))
                .build();
    }

    /** Returns the expression for the layout of the tensor whose keys a component has. */
    static CodeBlock layoutOf(Layout layout) {
        return layout.of().isEmpty()
                ? CodeBlock.of("routing.layout()")
                : CodeBlock.of("routing.beside($S, request.$N())", layout.of(), layout.of());
    }

    /** Returns the statement that writes the stamp of another tensor's layout, by which keys are grouped. */
    static CodeBlock stamp(Layout layout, Constants constants) {
        return layout.of().isEmpty()
                ? CodeBlock.of("")
                : CodeBlock.builder()
                        .addStatement("routing.writeStamp($L, part, out)", constants.keys(layout.keySet()))
                        .build();
    }
}

package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Type;

/**
 * The partition of a list whose elements each have a key: each part gets the elements whose keys its slice owns.
 *
 * @param each the component
 * @param layout the component's layout
 * @param constants has the number of the key set
 */
record ElementsRoute(Component each, Layout.ElementsByKey layout, Constants constants) implements ComponentRoute {
    @Override
    public Turn turn() {
        return Turn.KEYS;
    }

    @Override
    public CodeBlock route() {
        return CodeBlock.builder()
                .addStatement(
                        "routing.elements($L, $S,$Wrequest.$N(),$W$T::$N, $L,$W$L)",
                        constants.keys(layout.set()),
                        each.name(),
                        each.name(),
                        Java.type(((Type.ListOf) each.type()).of()),
                        layout.key(),
                        layout.everySlice(),
                        KeysRoute.layoutOf(layout))
                .build();
    }

    @Override
    public CodeBlock write(ValueEmitter values) {
        return CodeBlock.builder()
                .add(KeysRoute.stamp(layout, constants))
                .add(values.statement(each, CodeBlock.of("routing.elements($L, part)", constants.keys(layout.set()))))
                .build();
    }
}

package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.processor.model.Layout;

/**
 * The partition of an array that is row-aligned with the tensor: each part gets the rows of its slice.
 *
 * @param array the component
 * @param layout the component's layout
 */
record RangeRoute(RoutedArray array, Layout.ByRange layout) implements ComponentRoute {
    @Override
    public Turn turn() {
        return Turn.ROWS;
    }

    @Override
    public CodeBlock route() {
        return array.route(
                1,
                CodeBlock.of(
                        "routing.range($L, $S,$Wrequest.$N(), $L)",
                        array.number(),
                        array.name(),
                        array.name(),
                        layout.width()));
    }

    @Override
    public CodeBlock write(ValueEmitter values) {
        return array.write();
    }
}

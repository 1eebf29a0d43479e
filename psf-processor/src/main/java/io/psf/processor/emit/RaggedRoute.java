package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.processor.model.Layout;

/**
 * The partition of rows of different lengths: each part gets the rows of its keys.
 *
 * @param array the component
 * @param layout the component's layout
 * @param since the version of the rows' lengths
 */
record RaggedRoute(RoutedArray array, Layout.Ragged layout, int since) implements ComponentRoute {
    @Override
    public Turn turn() {
        return Turn.RAGGED;
    }

    @Override
    public CodeBlock route() {
        return array.route(
                since,
                CodeBlock.of(
                        "routing.ragged($L, $S,$W$L,$Wrequest.$N())",
                        array.number(),
                        array.name(),
                        array.constants().array(layout.index()),
                        array.name()));
    }

    @Override
    public CodeBlock write(ValueEmitter values) {
        return array.write();
    }
}

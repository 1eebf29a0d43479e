package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.processor.model.Layout;

/**
 * The partition of rows along keys: each part gets the rows of its keys.
 *
 * @param array the component
 * @param layout the component's layout
 * @param since the version of the keys
 */
record AlongRoute(RoutedArray array, Layout.AlongKeys layout, int since) implements ComponentRoute {
    @Override
    public Turn turn() {
        return Turn.ROWS;
    }

    @Override
    public CodeBlock route() {
        return array.route(
                since,
                CodeBlock.of(
                        "routing.along($L, $S,$W$L,$Wrequest.$N(), $L)",
                        array.number(),
                        array.name(),
                        array.constants().keys(layout.set()),
                        array.name(),
                        layout.width()));
    }

    @Override
    public CodeBlock write(ValueEmitter values) {
        return array.write();
    }
}

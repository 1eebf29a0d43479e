package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;

/**
 * The partition of a component that every part gets whole. The tensor that the request runs on is in the frame's head
 * instead.
 *
 * @param each the component
 */
record WholeRoute(Component each) implements ComponentRoute {
    @Override
    public Turn turn() {
        return Turn.NONE;
    }

    @Override
    public CodeBlock route() {
        return CodeBlock.of("");
    }

    @Override
    public CodeBlock write(ValueEmitter values) {
        return each.layout() instanceof Layout.Target
                ? CodeBlock.of("")
                : values.statement(each, CodeBlock.of("request.$N()", each.name()));
    }
}

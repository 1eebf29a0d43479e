package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;

/** Generates the partition of one component of the request: the code that describes it, and the code that writes it. */
interface ComponentRoute {
    /** The order in which components are described: components that others go along are first. */
    enum Turn {
        KEYS,
        ROWS,
        RAGGED,
        NONE
    }

    /** Returns the turn in which the component is described. */
    Turn turn();

    /** Returns the statements that describe the component to the routing. */
    CodeBlock route();

    /** Returns the statements that write a part's share of the component. */
    CodeBlock write(ValueEmitter values);
}

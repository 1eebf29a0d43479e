package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import io.psf.processor.model.Component;
import io.psf.processor.model.Type;

/**
 * An array of the request whose rows are split over the slices.
 *
 * @param each the component
 * @param constants has the number of the array
 */
record RoutedArray(Component each, Constants constants) {
    /** Returns the constant with the array's number. */
    String number() {
        return constants.array(each.index());
    }

    String name() {
        return each.name();
    }

    /**
     * Returns the statement that describes the array to the routing. An array of a later version than the component
     * that it goes along may be empty, as in a request of an older call.
     *
     * @param since the version of the component that the array goes along
     * @param call the call that describes it
     */
    CodeBlock route(int since, CodeBlock call) {
        CodeBlock.Builder body = CodeBlock.builder();
        if (each.since() > since) {
            return body.beginControlFlow("if (request.$N().length() == 0)", name())
                    .addStatement("routing.absent($L, request.$N())", number(), name())
                    .nextControlFlow("else")
                    .addStatement(call)
                    .endControlFlow()
                    .build();
        }
        return body.addStatement(call).build();
    }

    private CodeBlock out() {
        CodeBlock out = CodeBlock.of("out");
        return each.type() instanceof Type.Shared array ? ValueWriter.formatted(array, out) : out;
    }

    /** Returns the statement that writes a part's rows. */
    CodeBlock write() {
        return CodeBlock.builder()
                .addStatement("routing.write($L, part, $L)", number(), out())
                .build();
    }
}

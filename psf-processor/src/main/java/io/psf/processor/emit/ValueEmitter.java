package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Type;
import java.util.List;
import java.util.OptionalInt;

/**
 * Generates the code that writes the components of tuples to their blocks and reads them, with a pair of methods for
 * each nested record, list and map.
 */
final class ValueEmitter {
    private final ValueMethods methods = new ValueMethods();
    private final ValueWriter writer = new ValueWriter(methods, CodeBlock.of(""));
    private final ValueReader reader;

    ValueEmitter(Constants constants) {
        reader = new ValueReader(methods, constants);
    }

    /** Returns the methods that the values written and read so far require. */
    List<MethodSpec> methods() {
        return methods.all();
    }

    /** Returns the statements that write a component of a tuple. */
    CodeBlock statement(Component component, CodeBlock value) {
        return writer.statement(component.type(), value, CodeBlock.of("out"), component.since());
    }

    /** Returns the statements that write a component of the response. */
    CodeBlock answer(Component component, FunctionModel model) {
        OptionalInt width = width(component.layout(), model);
        ValueWriter ofRows = width.isEmpty() ? writer : writer.ofRows(width.getAsInt());
        return ofRows.statement(
                component.type(),
                CodeBlock.of("answer.$N()", component.name()),
                CodeBlock.of("out"),
                component.since());
    }

    /**
     * Returns the width of an answer's rows; empty for the width of the tensor on whose shards the function runs; 0 for
     * the width of another tensor, which the writer does not know.
     */
    private static OptionalInt width(Layout layout, FunctionModel model) {
        int width = layout instanceof Layout.ByRange byRange
                ? byRange.width()
                : layout instanceof Layout.AlongKeys along
                        ? along.width()
                        : layout instanceof Layout.AlongProducedKeys along ? along.width() : 0;
        boolean ofOther = layout instanceof Layout.AlongKeys along
                && model.request().stream()
                        .map(Component::layout)
                        .anyMatch(keys ->
                                keys.keySet() == along.set() && !keys.of().isEmpty());
        return width > 0 || ofOther ? OptionalInt.of(width) : OptionalInt.empty();
    }

    /**
     * Returns the expression that reads a component of a tuple. The component is empty if an older peer did not send
     * it.
     */
    CodeBlock read(Component component) {
        return reader.read(component);
    }

    /**
     * Returns the expression that reads a value.
     *
     * @param base the version that added the value
     */
    CodeBlock read(Type type, int base) {
        return reader.read(type, base);
    }

    /**
     * Returns the statement that ends the writing of a tuple or begins its reading; empty unless a nested record has
     * components of later versions.
     *
     * @param stream the tuple's writer or reader
     */
    static CodeBlock sections(String stream, List<Component> tuple, int version) {
        CodeBlock.Builder sections = CodeBlock.builder();
        FunctionModel.firstSection(tuple)
                .ifPresent(first -> sections.addStatement("$L.sections($L, $L)", stream, first, version));
        return sections.build();
    }
}

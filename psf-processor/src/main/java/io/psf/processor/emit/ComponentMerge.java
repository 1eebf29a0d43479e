package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.TypeName;
import io.psf.processor.model.Component;
import io.psf.processor.model.Layout;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.Optional;

/** Generates the merge of one component of the answers: a field, and the code that fills it and reads it. */
interface ComponentMerge {
    /** Returns the type of the field in which the component's parts are merged or stored. */
    TypeName fieldType();

    /** Returns the field's value before the first part. */
    CodeBlock initial();

    /** Returns the statement that adds the component of one part to the field. */
    CodeBlock add(CodeBlock read);

    /** Returns the statement for a part whose server is too old to send the component; empty if nothing is to be done. */
    default Optional<CodeBlock> absent() {
        return Optional.empty();
    }

    /** Returns the expression for the component of the merged response. */
    CodeBlock merged();

    /** True if the parts are decoded into the user's records, and for this reason after all parts have arrived. */
    default boolean isDecodedLate() {
        return false;
    }

    /** Returns the merge of a component's layout. */
    static ComponentMerge of(Component each, Constants constants) {
        Layout layout = each.layout();
        if (layout instanceof Layout.ByRange byRange) {
            return new RangeMerge(each, byRange);
        } else if (layout instanceof Layout.AlongKeys along) {
            return new KeyRowsMerge(each, along, constants.keys(along.set()));
        } else if (layout instanceof Layout.ElementsAlongKeys elements) {
            return new ElementsMerge(each, constants.keys(elements.set()));
        } else if (each.type() instanceof Type.Shared shared) {
            return new ArraysMerge(each, shared, constants);
        }
        return each.type() instanceof Scalar scalar
                ? new ScalarMerge(each, scalar, ((Layout.Reduced) layout).reduction())
                : new CollectionsMerge(each);
    }
}

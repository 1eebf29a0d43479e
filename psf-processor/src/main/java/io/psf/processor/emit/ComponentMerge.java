package io.psf.processor.emit;

import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.TypeName;
import io.psf.processor.model.Component;
import java.util.Optional;
import java.util.Set;

/** Generates the merge of one component of the answers: a field, and the code that fills it and reads it. */
interface ComponentMerge {
    /** The names of the parameters and the other fields. */
    Set<String> RESERVED = Set.of("request", "routing", "into", "part", "in", "answers", "kept");

    /** Returns the type of the field in which the component's parts are merged or stored. */
    TypeName fieldType();

    /** Returns the field's value before the first part. */
    CodeBlock initial();

    /** Returns the statement that adds the component of one part to the field. */
    CodeBlock add(CodeBlock read);

    /**
     * Returns the statement for a part whose server is too old to send the component; empty if nothing is to be done.
     */
    default Optional<CodeBlock> absent() {
        return Optional.empty();
    }

    /** Returns the expression for the component of the merged response. */
    CodeBlock merged();

    /** True if the parts are decoded into the user's records, and for this reason after all parts have arrived. */
    default boolean isDecodedLate() {
        return false;
    }

    /**
     * Returns the name of a component's field, which differs from the names of other fields, parameters and constants.
     */
    static String field(Component component) {
        return field(component.name());
    }

    static String field(String name) {
        String bare = name.replaceAll("_+$", "");
        return RESERVED.contains(bare) || Constants.isReserved(bare) ? name + "_" : name;
    }
}

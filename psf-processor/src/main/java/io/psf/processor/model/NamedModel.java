package io.psf.processor.model;

import java.util.List;

/**
 * An optimizer or an initializer that a spec selects by name.
 *
 * @param type the class
 * @param annotation the annotation's class
 * @param name the name
 * @param parameters the parameters of the constructor
 */
public record NamedModel(ClassRef type, ClassRef annotation, String name, List<Parameter> parameters) {
    public NamedModel {
        parameters = List.copyOf(parameters);
    }

    /**
     * A parameter of the constructor.
     *
     * @param name the parameter's name
     * @param type its type
     */
    public record Parameter(String name, Scalar type) {}

    /** Returns the generated class. */
    public ClassRef generated() {
        return type.beside("PsfProvider");
    }
}

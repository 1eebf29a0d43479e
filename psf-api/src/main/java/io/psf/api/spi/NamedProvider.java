package io.psf.api.spi;

import java.lang.annotation.Annotation;
import java.util.List;

/**
 * Creates the objects of a named class. Found on a class path by {@link java.util.ServiceLoader}. Generated for each
 * {@code PsOptimizer} and {@code PsInitializer}.
 */
public interface NamedProvider {
    /** Returns the annotation's class, which says what is created. */
    Class<? extends Annotation> kind();

    /** Returns the name. */
    String name();

    /** Returns the names of the arguments, in the order of the constructor's parameters. */
    List<String> arguments();

    /**
     * Creates an object.
     *
     * @throws IllegalArgumentException if an argument is missing, superfluous, of another type, or out of range
     * @throws LinkageError if the class cannot be loaded on this node
     */
    Object create(Arguments arguments);
}

package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a generator of initial values ({@code io.psf.builtin.initializer.Generator}) the name by which a tensor's spec
 * selects it. Servers find the class on their class path. The parameters of its constructor are the named arguments of
 * the spec, as for a {@link PsOptimizer}.
 *
 * <p>On a class, it stands for its only public constructor; of a record, for the canonical one. On a constructor, it
 * stands for that one.
 */
@Documented
@Target({ElementType.TYPE, ElementType.CONSTRUCTOR})
@Retention(RetentionPolicy.RUNTIME)
public @interface PsInitializer {
    /**
     * The name: dotted lower case, such as {@code acme.identity}. Names that begin with {@code psf.} belong to psf. Two
     * initializers of the same name on a server's class path are an error.
     */
    String value();
}

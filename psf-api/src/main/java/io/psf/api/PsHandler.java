package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class that handles a {@link PsFunction}. Servers find the class on their class path. The class must be
 * public, have a public constructor without parameters, and implement the interface of one function. It replaces a
 * {@code default} body of {@code handle}.
 *
 * <p>A function may have several handlers with different preferences: a server uses the {@link Available} handler of
 * the highest preference.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface PsHandler {
    /**
     * The handler's preference: of a function's handlers, the one of the highest preference is tried first. Two
     * handlers with the same preference are an error.
     */
    int preference() default 0;
}

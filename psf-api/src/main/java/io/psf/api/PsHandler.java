package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class that handles a {@link PsFunction}: servers find it on their class path. The class is public, has a
 * public constructor without parameters and implements one function's interface. It replaces a {@code default} body of
 * {@code handle}.
 *
 * <p>A function may have several handlers, of different preference: a server takes the first that is {@link Available}.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface PsHandler {
    /** Which of a function's handlers is tried first: the one of the highest preference. Two of the same are an error. */
    int preference() default 0;
}

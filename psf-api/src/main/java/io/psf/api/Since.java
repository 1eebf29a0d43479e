package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a component that was appended to a tuple in a later version of the function's schema. A peer of an older
 * version does not send it and skips it; what it did not send is read as zero, {@code false}, an empty string, an empty
 * array, or null where that is allowed.
 *
 * <p>A component of a nested record is marked in the same way, and so is a constant that was appended to an enum. The
 * version is that of each function in whose tuples the record or the enum stands. {@link Unknown} says what an older peer
 * makes of a constant that it does not have.
 *
 * <p>The stub keeps the {@code call} of each version, which sends the same. An array with a layout is left out by giving
 * an empty one, and keys that were the first of the function and are left out leave every slice its request.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Since {
    /** The schema version that brought the component or the constant, from 2 on. */
    int value();
}

package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a component that was appended to a tuple in a later version of the function's schema. A peer of an older
 * version does not send the component, and skips it when reading. A component that was not sent is read as zero, {@code
 * false}, an empty string, an empty array, or null where null is allowed.
 *
 * <p>A component that was appended to a nested record is marked in the same way, and so is a constant that was appended
 * to an enum. The version counts for each function whose tuples contain the record or the enum. {@link Unknown} defines
 * how an older peer reads a constant that it does not have.
 *
 * <p>The stub retains the {@code call} method of each version. Such a method sends the components of later versions as
 * their defaults. An array with a layout is left out by sending an empty array. If the keys that are left out were the
 * function's first keys, every slice gets the request.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Since {
    /** The schema version that added the component or the constant, from 2 on. */
    int value();
}

package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a PS function: an interface with a nested {@code record Request}, a nested {@code record Response} and one
 * method {@code handle} that answers the one with the other next to the shard.
 *
 * <p>The annotation processor makes {@code XPsf} beside interface {@code X}: its codec, its partition over slices, the
 * merge of the answers, the worker's {@code XPsf.Stub} and the server's {@code XPsf.bind(handler)}.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface PsFunction {
    /** The function's name, its identity between processes: dotted lower case, for example {@code "acme.axpy"}. */
    String value();

    /** Where the function runs. */
    Place at() default Place.SHARD;

    /**
     * True if the function changes nothing, so that a call may be repeated freely. It makes no rows of a growing table
     * either: {@link Shard#row} of a key that has none is an error in its calls.
     */
    boolean readOnly() default false;
}

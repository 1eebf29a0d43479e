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

    /** Whether the function changes nothing, so that a call may be repeated freely. */
    boolean readOnly() default false;

    /**
     * Whether calls of one worker on one shard run in the order sent, each after the one before it has answered. Without
     * an order, a deferred answer holds no later call back, and a call does not wait behind those that are held back: it
     * runs when it comes, or before or after its neighbours as their priorities say. The calls of a chain keep their
     * order all the same. Calls on nodes have no order in any case.
     *
     * <p>Only the server looks at this: a worker that was built from a declaration which says otherwise is served as this
     * one says.
     */
    boolean ordered() default true;
}

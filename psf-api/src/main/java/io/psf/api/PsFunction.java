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
 *
 * <p>The layouts of the response say how the answers of several slices become one. The interface may have one method
 * beside them, which runs on the worker:
 *
 * <ul>
 *   <li>{@code static Response merge(List<Response> slices)} or {@code static Response merge(Request request,
 *       List<Response> slices)} merges in the place of layouts. The list has the answer of each slice that the call
 *       went to, in the order of the slices. It is empty if the call went to none: all key sets of the request were
 *       empty, and nothing else in it or in the response goes to every slice.
 *   <li>{@code static Response finish(Request request, Response merged)} goes on from what the layouts have merged, and
 *       makes the answer of it. A call that went to no slice has a merged response, too: its arrays are empty, its
 *       sums 0.
 * </ul>
 *
 * <p>The arrays of the request are those of the caller, borrowed as everywhere. The method runs on the thread that brings
 * the last answer, which may await another call, and should not block. What it throws, and null in the place of a
 * response, fail the call with {@code CALLER_FAILED}; a {@link PsException} of its own keeps its code. If the call ends
 * before the method does, by its deadline for example, its thread is interrupted and its response dropped.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface PsFunction {
    /** The function's name, its identity between processes: dotted lower case, for example {@code "acme.axpy"}. */
    String value();

    /**
     * The names that the function had before, if any. A server serves callers of these names too, and a worker calls a
     * server that has the function under such a name alone.
     */
    String[] formerly() default {};

    /** Where the function runs. */
    Place at() default Place.SHARD;

    /**
     * True if the function changes nothing, so that a call may be repeated freely. It makes no rows of a growing table
     * either: {@link Shard#row} of a key that has none is an error in its calls.
     */
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

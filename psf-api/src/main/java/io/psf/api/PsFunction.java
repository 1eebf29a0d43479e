package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a PS function: an interface with a nested {@code record Request}, a nested {@code record Response} and one
 * method {@code handle}, which runs next to the shard and answers a request with a response.
 *
 * <p>The type of the second parameter of {@code handle} is the kind of shard that the function needs: {@link Shard} for
 * every kind, or an interface that extends it, for shards that implement this interface. It is {@link Node} for a
 * function that does not run on shards.
 *
 * <p>For an interface {@code X} the annotation processor generates the class {@code XPsf}: the codec, the partition
 * over slices, the merge of the answers, the worker's {@code XPsf.Stub} and the server's {@code XPsf.bind(handler)}.
 *
 * <p>The layouts of the response define how the answers of several slices are merged into one. Besides {@code handle},
 * the interface may have one of these methods, which run on the worker:
 *
 * <ul>
 *   <li>{@code static Response merge(List<Response> slices)} or {@code static Response merge(Request request,
 *       List<Response> slices)} merges the answers instead of layouts. The list has the answer of each slice that the
 *       call was sent to, in slice order. The list is empty if the call was sent to no slice: all key sets of the
 *       request were empty, and nothing else in the request or in the response goes to every slice.
 *   <li>{@code static Response finish(Request request, Response merged)} computes the answer from the response that the
 *       layouts have merged. If the call was sent to no slice, a merged response is passed as well: its arrays are
 *       empty and its sums are 0.
 * </ul>
 *
 * <p>The request's arrays are the caller's own, borrowed as in any call. The method runs on the thread that delivers
 * the last answer. That thread may be awaiting another call, so the method should not block. If the method throws, or
 * returns null, the call fails with {@code CALLER_FAILED}; a {@link PsException} that the method throws retains its
 * code. If the call ends before the method returns, for example by its deadline, the method's thread is interrupted and
 * the method's response is dropped.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface PsFunction {
    /**
     * The function's name, which identifies the function between processes: dotted lower case, for example {@code
     * "acme.axpy"}.
     */
    String value();

    /**
     * The former names of the function, if any. A server also serves callers that use these names. A worker also calls
     * a server that has the function only under a former name.
     */
    String[] formerly() default {};

    /** Where the function runs. */
    Place at() default Place.SHARD;

    /**
     * True if the function changes nothing, so that a call can be repeated safely. This is checked. In the calls of
     * such a function, a shard creates no row, no slot and no attachment, removes no row and keeps its optimizer, a
     * node creates and drops no shard, and the handler calls read-only functions alone. Each of these is an error of
     * the call with {@code HANDLER_FAILED} that names the function; {@link Shard#row} fails with {@code OUT_OF_RANGE}
     * for a key that has no row. The test kit finds changed values, too. An attachment of a node, such as a cache or a
     * counter, may be created.
     */
    boolean readOnly() default false;

    /**
     * True if calls of one worker on one shard run in the order in which they were sent, each after the previous call
     * has answered. If false, a deferred answer does not hold back later calls, and a call does not wait for calls that
     * are held back: it runs when it arrives, or before or after its neighbours as their priorities require. The calls
     * of a chain run in order in any case. Calls on nodes are never ordered.
     *
     * <p>Only the server reads this value. A worker that was built from a declaration with another value is served
     * according to the server's value.
     */
    boolean ordered() default true;
}

package io.psf.api.layout;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Global keys. Other components of the tuple refer to them with {@link Along}.
 *
 * <p>On a {@code LongArray} of a request, in any order: the keys are grouped by the slice that owns them before they
 * are sent. A slice that owns none of the keys gets no request.
 *
 * <p>On a {@code List} of a record in a request: {@link #value} names the component of the element that is its key.
 * Each element is sent to the slice that owns its key. The elements of one slice retain their order.
 *
 * <p>The keys are keys of the tensor that the request runs on, unless {@link #of} names another {@code TensorId} of the
 * request; then they are grouped by that tensor's slices. A call runs once on each slice number that any of its keys
 * belongs to, and {@code shard.other(id)} is the other tensor's slice of that number. This requires that the tensors
 * lie beside each other (see {@code TensorSpec.beside}); otherwise the call fails with {@code BAD_REQUEST}.
 *
 * <p>On a {@code long} of a request to servers: a key that belongs to no tensor. Only the server that owns the key
 * answers, the same server for every worker. Its answer needs no layout.
 *
 * <p>On a {@code LongArray} of a response: keys that the servers produce, any number on each slice. The slices' keys
 * are concatenated in slice order, and so are the rows along them.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface ByKey {
    /** On a {@code List}, the name of the {@code long} component of its elements that is the key; empty on an array. */
    String value() default "";

    /**
     * The name of the {@code TensorId} component of the same request whose keys these are; if empty, the first {@code
     * TensorId} of the request.
     */
    String of() default "";

    /**
     * How keys that occur more than once are folded before they are sent: the key is sent once, and the rows along it
     * are combined with {@code SUM}, {@code MIN}, {@code MAX} or {@code LAST}. {@code NONE} sends every occurrence, in
     * the given order. The elements of a list cannot be folded.
     */
    Reduction combine() default Reduction.NONE;

    /** True if slices that own none of the keys also get a request, with no keys. */
    boolean everySlice() default false;
}

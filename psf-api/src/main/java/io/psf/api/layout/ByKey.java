package io.psf.api.layout;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Global keys, which other components of the tuple follow with {@link Along}.
 *
 * <p>On a {@code LongArray} of a request, in any order: grouped by the slice that owns them going out. A slice that owns
 * none of the keys gets no request.
 *
 * <p>On a {@code List} of a record in a request: {@link #value} names the element's component with its key. Each element
 * goes to the slice that owns its key; those of one slice keep their order.
 *
 * <p>Keys are those of the tensor that the request runs on, unless {@link #of} names another {@code TensorId} of the
 * request: then they are grouped by that tensor's slices. A call runs once on each slice number that any of its keys
 * belongs to, and {@code shard.other(id)} is the other tensor's slice of that number. For that the tensors lie beside
 * each other (see {@code TensorSpec.beside}); if they do not, the call fails with {@code BAD_REQUEST}.
 *
 * <p>On a {@code long} of a request to servers: a key of no tensor. The one server that owns it answers, the same for
 * every worker, and its answer needs no layout.
 *
 * <p>On a {@code LongArray} of a response: keys that the servers produce, any number on each slice. The slices' keys are
 * concatenated in the order of the slices, and so are the rows along them.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface ByKey {
    /** On a {@code List}, the name of the {@code long} component of its elements that is the key; nothing on an array. */
    String value() default "";

    /**
     * The name of the {@code TensorId} component of the same request whose keys these are; if empty, the request's first
     * {@code TensorId}.
     */
    String of() default "";

    /**
     * How keys that occur more than once are folded before they are sent: the key goes once, and the rows along it are
     * combined with {@code SUM}, {@code MIN}, {@code MAX} or {@code LAST}. {@code NONE} sends every occurrence, in the
     * order given. The elements of a list cannot be folded.
     */
    Reduction combine() default Reduction.NONE;

    /** Whether slices that own none of the keys get a request too, with no keys. */
    boolean everySlice() default false;
}

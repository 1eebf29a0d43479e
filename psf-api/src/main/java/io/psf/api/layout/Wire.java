package io.psf.api.layout;

import io.psf.api.array.FloatType;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The number format in which a {@link io.psf.api.array.FloatArray} of a request or a response travels. Without this
 * annotation it is float32.
 *
 * <pre>{@code
 * record Response(@Along("keys") @Wire(FloatType.BFLOAT16) FloatArray values) {}   // always bfloat16
 * record Response(@Along("keys") @Wire FloatArray values) {}                       // as the tensor's specification says
 * }</pre>
 *
 * The handler and the caller see float32. An array of 16 or 8 bits is a view of the received bytes, which converts
 * values when they are read. A view of {@code INT8} cannot be written: change a {@link io.psf.api.array.FloatArray#copy
 * copy}. In an answer along the keys of another tensor, {@code INT8} has a factor for 256 consecutive values, unless
 * {@link Along} has the width of the rows.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Wire {
    /** The format; if empty, the format of the tensor on whose shards the function runs ({@code TensorSpec.wire}). */
    FloatType[] value() default {};
}

package io.psf.api.layout;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A scalar or array of a response that is folded over the slices, in slice order. Arrays are folded element by element
 * and must have the same length on every slice.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Reduce {
    /** The fold: {@code SUM}, {@code MIN} or {@code MAX} on numbers, {@code AND} or {@code OR} on booleans. */
    Reduction value();
}

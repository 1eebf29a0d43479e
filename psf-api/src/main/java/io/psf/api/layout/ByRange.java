package io.psf.api.layout;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An array, [rows, width], that is row-aligned with the tensor: split at the slice bounds in a request, concatenated in
 * a response.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface ByRange {
    /** The number of elements in a row of the array. 0 means the tensor's width. */
    int width() default 0;
}

package io.psf.api.layout;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An array, [n, width], whose row i belongs to key i of a {@link ByKey} component. The row is sent to the slice that
 * owns the key, and is returned to every position of the key, duplicates included. Along keys that the servers produce,
 * the slices' rows are concatenated in the same order as the keys.
 *
 * <p>Alternatively a {@code List} of a record in a response: element i belongs to key i of a {@link ByKey} component of
 * the request, and is returned to every position of the key.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Along {
    /**
     * The name of the {@link ByKey} component. In a request, it is a component of the request. In a response, it is a
     * component of the response, or else of the request.
     */
    String value();

    /**
     * The number of elements in a row of the array. 0 means the width of the tensor whose keys they are, or 1 if the
     * elements are the lengths of {@link Ragged} rows.
     */
    int width() default 0;
}

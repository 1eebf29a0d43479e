package io.psf.api.layout;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An array of which row i belongs to key i of a {@link ByKey} component, [n, width]: it goes where the key goes, and
 * comes back to where the key stands, duplicates included. Along keys that the servers produce, the slices' rows are
 * concatenated as the keys are.
 *
 * <p>Or a {@code List} of a record in a response: element i belongs to key i of a {@link ByKey} component of the request,
 * and comes back to where the key stands.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Along {
    /**
     * The name of the {@link ByKey} component: in a request one of the request; in a response one of the response, or
     * else of the request.
     */
    String value();

    /**
     * Elements in a row of the array; 0 means the width of the tensor whose keys they are, or 1 where they are the lengths of
     * {@link Ragged} rows.
     */
    int width() default 0;
}

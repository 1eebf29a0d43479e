package io.psf.api.layout;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An array of rows of different lengths, one after the other: row i has {@code counts[i]} elements, where counts is an
 * {@code IntArray} of the same tuple with {@link Along} keys. Each row is sent with its count, and is returned to the
 * positions of its count, duplicates included. An example is the neighbours of nodes.
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Ragged {
    /** The name of the {@code IntArray} component with the rows' lengths, [n]; its {@link Along} needs no width. */
    String value();
}

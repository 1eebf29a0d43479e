package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the constant of an enum that stands for every constant which this side does not have: one that a newer peer
 * appended with {@link Since}. Without such a constant a tuple with an unknown one is refused with
 * {@link PsException.Code#SCHEMA_MISMATCH}.
 *
 * <pre>{@code
 * enum Mode { FAST, EXACT, @Unknown OTHER, @Since(2) LAZY }
 * }</pre>
 *
 * <p>The mark plays no part on the wire: each side reads by its own. The constant may be sent as any other.
 */
@Documented
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Unknown {}

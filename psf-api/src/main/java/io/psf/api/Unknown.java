package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the constant of an enum that represents every constant which this side does not have, that is, which a newer
 * peer appended with {@link Since}. If the enum has no such constant, a tuple with an unknown constant is refused with
 * {@link PsException.Code#SCHEMA_MISMATCH}.
 *
 * <pre>{@code
 * enum Mode { FAST, EXACT, @Unknown OTHER, @Since(2) LAZY }
 * }</pre>
 *
 * <p>The mark has no effect on the wire: each side reads by its own declaration. The marked constant may be sent like
 * any other.
 */
@Documented
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Unknown {}

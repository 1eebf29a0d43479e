package io.psf.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class that handles a {@link PsFunction}. Servers find the class on their class path. The class must be
 * public, have a public constructor without parameters, and implement the interface of one function, or name it with
 * {@link #function}. It replaces a {@code default} body of {@code handle}.
 *
 * <p>A function may have several handlers with different preferences: of the {@link Available} handlers that serve the
 * kind of the shard, a server uses the handler of the highest preference.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface PsHandler {
    /**
     * The handler's preference: of a function's handlers, the one of the highest preference is tried first. Two
     * available handlers with the same preference are an error if one of them serves every kind of shard that the other
     * serves.
     */
    int preference() default 0;

    /**
     * The function, for a class that serves only shards of one kind. Such a class does not implement the function's
     * interface. It has a method {@code handle} of its own, whose second parameter is the kind: an interface that
     * extends {@link Shard}.
     *
     * <pre>{@code
     * @PsHandler(function = Axpy.class, preference = 1)
     * public final class AxpyOnDevice {
     *     public Axpy.Response handle(Axpy.Request slice, DeviceShard shard) { .. }
     * }
     * }</pre>
     */
    Class<?> function() default void.class;
}

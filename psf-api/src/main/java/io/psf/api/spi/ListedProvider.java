package io.psf.api.spi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a generated provider that must be listed in the service file by which servers find it. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface ListedProvider {
    /** The service: {@link HandlerProvider} or {@link NamedProvider}. */
    Class<?> value() default HandlerProvider.class;
}

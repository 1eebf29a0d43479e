package io.psf.api.spi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a generated {@link HandlerProvider}: it is to stand in the service file by which servers find it. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface ListedProvider {}

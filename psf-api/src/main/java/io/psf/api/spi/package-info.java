/**
 * The interface between generated code and a runtime: functions, bindings, routing, and the reader and writer of
 * tuples. Users do not import it. Depends only on {@code io.psf.api}, its arrays and its layouts.
 */
@NullMarked
package io.psf.api.spi;

import org.jspecify.annotations.NullMarked;

/**
 * What generated code calls, and what a runtime is given by it: functions, bindings, routing, and the reader and writer
 * of tuples. Users do not import it. Sees {@code io.psf.api}, its arrays and its layouts alone.
 */
@NullMarked
package io.psf.api.spi;

import org.jspecify.annotations.NullMarked;

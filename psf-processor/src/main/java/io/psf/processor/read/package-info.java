/**
 * From an annotated element to a model, and every problem on the way: the only room that reads annotation mirrors.
 * Imports the compiler's model of the language, {@code model}, and {@code io.psf.api}.
 */
@NullMarked
package io.psf.processor.read;

import org.jspecify.annotations.NullMarked;

/**
 * Reads an annotated element into a model, and reports every problem found. This is the only package that reads
 * annotation mirrors. Imports the compiler's model of the language, {@code model}, and {@code io.psf.api}.
 */
@NullMarked
package io.psf.processor.read;

import org.jspecify.annotations.NullMarked;

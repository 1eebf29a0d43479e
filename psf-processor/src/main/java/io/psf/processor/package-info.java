/**
 * The annotation processor, in three steps: {@code read} converts an interface into a {@code model}, and {@code emit}
 * generates source from the model. Besides, {@code schema} compares the text of a model's schema with the committed
 * one. Runs only at compile time. The generated code depends only on {@code psf-api}.
 */
@NullMarked
package io.psf.processor;

import org.jspecify.annotations.NullMarked;

/**
 * The annotation processor, in three steps: {@code read} converts an interface into a {@code model}, and {@code emit}
 * generates source from the model. Runs only at compile time. The generated code depends only on {@code psf-api}.
 */
@NullMarked
package io.psf.processor;

import org.jspecify.annotations.NullMarked;

/**
 * The annotation processor in three steps: {@code read} an interface into a {@code model}, and {@code emit} the model as
 * source. Runs at compile time only; what it makes sees {@code psf-api} alone.
 */
@NullMarked
package io.psf.processor;

import org.jspecify.annotations.NullMarked;

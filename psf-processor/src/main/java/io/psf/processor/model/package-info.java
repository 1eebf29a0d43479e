/**
 * The model of a PS function: the result of {@code read} and the input of {@code emit}. It does not refer to the
 * compiler's types, and imports nothing beyond {@code io.psf.api}.
 */
@NullMarked
package io.psf.processor.model;

import org.jspecify.annotations.NullMarked;

/**
 * A PS function as values: what {@code read} found and {@code emit} writes. Knows nothing of the compiler's types and
 * imports nothing beyond {@code io.psf.api}.
 */
@NullMarked
package io.psf.processor.model;

import org.jspecify.annotations.NullMarked;

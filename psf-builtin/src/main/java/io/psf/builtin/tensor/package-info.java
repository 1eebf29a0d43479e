/**
 * Functions that make tensors and drop them. Imports psf-api and the rooms {@code initializer}, {@code optimizer},
 * {@code sync} and {@code checkpoint}.
 */
@NullMarked
package io.psf.builtin.tensor;

import org.jspecify.annotations.NullMarked;

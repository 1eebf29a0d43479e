/**
 * Functions that create and drop tensors. Imports psf-api and the packages {@code initializer}, {@code optimizer},
 * {@code push} and {@code checkpoint}.
 */
@NullMarked
package io.psf.builtin.tensor;

import org.jspecify.annotations.NullMarked;

/**
 * Functions that create, change and drop tensors. Imports psf-api and the packages {@code named}, {@code initializer},
 * {@code optimizer}, {@code policy}, {@code push} and {@code internal.checkpoint}.
 */
@NullMarked
package io.psf.builtin.tensor;

import org.jspecify.annotations.NullMarked;

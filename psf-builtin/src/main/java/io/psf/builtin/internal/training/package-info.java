/**
 * The agreement of the workers of a training loop, at one server: the step of the next cut, who leads its save, and how
 * they go back to a checkpoint (docs/checkpoint.md); and their ends of epochs. Imports psf-api and the packages {@code
 * push}, {@code checkpoint}, {@code ssp} and {@code partial}.
 */
@NullMarked
package io.psf.builtin.internal.training;

import org.jspecify.annotations.NullMarked;

/**
 * The agreement of the workers of a training loop, at the server that leads their saves: the step of the next cut, and
 * how they go back to a checkpoint (docs/checkpoint.md); their ends of epochs; and the calls that a worker makes for
 * both. Imports psf-api and the packages {@code push}, {@code checkpoint}, {@code ssp} and {@code partial}.
 */
@NullMarked
package io.psf.builtin.internal.training;

import org.jspecify.annotations.NullMarked;

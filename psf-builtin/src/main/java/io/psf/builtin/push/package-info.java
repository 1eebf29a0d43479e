/**
 * How the pushes of workers become steps of a shard's optimizer: each at once, or as the sum or mean of a round.
 * Imports psf-api and the packages {@code optimizer} and {@code policy}.
 */
@NullMarked
package io.psf.builtin.push;

import org.jspecify.annotations.NullMarked;

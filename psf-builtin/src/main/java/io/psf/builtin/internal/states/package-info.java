/**
 * The functions that copy the states of optimizers of reduced weights to the servers and back. Imports psf-api, {@code
 * push} and {@code optimizer}.
 */
@NullMarked
package io.psf.builtin.internal.states;

import org.jspecify.annotations.NullMarked;

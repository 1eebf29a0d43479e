/**
 * The functions that save and load the states of optimizers in a file of a worker. Imports psf-api, {@code push} and
 * {@code optimizer}.
 */
@NullMarked
package io.psf.builtin.internal.states;

import org.jspecify.annotations.NullMarked;

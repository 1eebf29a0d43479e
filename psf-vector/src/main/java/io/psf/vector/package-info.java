/**
 * The optimizers' formulas with the Vector API, over memory off the heap. Imports psf-api and the room
 * {@code io.psf.builtin.optimizer}.
 */
@NullMarked
package io.psf.vector;

import org.jspecify.annotations.NullMarked;

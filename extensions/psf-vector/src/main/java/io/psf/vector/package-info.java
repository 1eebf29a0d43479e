/**
 * The optimizers' formulas with the Vector API, over off-heap memory. Imports psf-api and the package
 * {@code io.psf.builtin.optimizer}.
 */
@NullMarked
package io.psf.vector;

import org.jspecify.annotations.NullMarked;

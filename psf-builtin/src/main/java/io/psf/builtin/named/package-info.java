/**
 * The optimizers and initializers that a class path has, by the names by which specs select them. Imports psf-api.
 */
@NullMarked
package io.psf.builtin.named;

import org.jspecify.annotations.NullMarked;
